import { compareText } from '../lib/text/compare-text.ts';
import type { WaitEdge } from '../protocol/team.ts';

/** One kind of waiting, looked at when the graph is wanted. It must not throw, and must not wait itself. */
export type WaitSource = () => readonly WaitEdge[];

/** Members or things that wait for each other, so that none of them can go on. */
export interface WaitCircle {
  /** The same for the same circle, wherever one starts to read it and whatever else changed. */
  readonly key: string;
  /** In order: each leads to the next, the last back to the first. */
  readonly edges: readonly WaitEdge[];
}

/** A circle is reported by its shortest way; a graph with more circles than this has one problem, not so many. */
const maxCircles = 20;

/** All that anybody waits for, the longest wait first. The same wait from two sources is one. */
export function collectWaits(sources: readonly WaitSource[]): WaitEdge[] {
  const found = new Map<string, WaitEdge>();
  for (const edge of sources.flatMap((source) => source())) {
    const key = JSON.stringify([edge.from, edge.to, edge.kind]);
    const known = found.get(key);
    if (!known || edge.since < known.since) found.set(key, edge);
  }
  return [...found.values()].sort((one, other) => compareText(one.since, other.since));
}

/**
 * The circles of a graph: for every wait that is part of one, the shortest circle through it, each once. Waits through things
 * count: a member waits for a file, and the file for the member that holds it.
 */
export function findCircles(edges: readonly WaitEdge[]): WaitCircle[] {
  const outgoing = Map.groupBy(edges, ({ from }) => from);
  const circles = new Map<string, WaitCircle>();
  const covered = new Set<WaitEdge>();
  for (const edge of edges) {
    if (covered.has(edge)) continue;
    const back = edge.from === edge.to ? [] : findWay(outgoing, edge.to, edge.from);
    if (!back) continue;
    const circle = describeCircle([edge, ...back]);
    for (const part of circle.edges) covered.add(part);
    circles.set(circle.key, circle);
    if (circles.size === maxCircles) break;
  }
  return [...circles.values()];
}

/** Tells each circle once: one that was resolved and comes back is new. */
export function trackCircles(): (edges: readonly WaitEdge[]) => WaitCircle[] {
  let known = new Set<string>();
  return (edges) => {
    const circles = findCircles(edges);
    const found = circles.filter(({ key }) => !known.has(key));
    known = new Set(circles.map(({ key }) => key));
    return found;
  };
}

/** The fewest waits that lead from one to the other. */
function findWay(
  outgoing: ReadonlyMap<string, readonly WaitEdge[]>,
  from: string,
  to: string,
): WaitEdge[] | undefined {
  const cameBy = new Map<string, WaitEdge | undefined>([[from, undefined]]);
  const queue = [from];
  for (const at of queue) {
    if (at === to) return traceBack(cameBy, to);
    for (const edge of outgoing.get(at) ?? []) {
      if (cameBy.has(edge.to)) continue;
      cameBy.set(edge.to, edge);
      queue.push(edge.to);
    }
  }
  return undefined;
}

function traceBack(cameBy: ReadonlyMap<string, WaitEdge | undefined>, to: string): WaitEdge[] {
  const way: WaitEdge[] = [];
  for (let edge = cameBy.get(to); edge; edge = cameBy.get(edge.from)) way.unshift(edge);
  return way;
}

/** Begins with the smallest name, so that a circle found from another side has the same key. */
function describeCircle(edges: readonly WaitEdge[]): WaitCircle {
  const names = edges.map(({ from }) => from);
  const first = names.indexOf(names.toSorted(compareText)[0] ?? '');
  const turned = [...edges.slice(first), ...edges.slice(0, first)];
  return { key: turned.map(({ from, kind }) => `${from} ${kind}`).join(' > '), edges: turned };
}
