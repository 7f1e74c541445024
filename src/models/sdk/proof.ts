import type {
  LanguageModelV4,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';

type Part = LanguageModelV4StreamPart;

/** The owner of a proof: the thinking it comes with, the text before it, or the call after it. */
type Place = 'thinking' | 'text' | 'call';

export interface Proof {
  place: Place;
  /** The package's data for the part, to be returned to it unchanged. */
  options: SharedV4ProviderOptions;
}

/**
 * Keeps what a provider wants back with its own output: encrypted thinking, signatures of thoughts and calls. Our
 * blocks have one place for that, the signature of thinking; if there was no thinking an empty one carries it. It is
 * prefixed with the provider's name, since no other provider accepts it.
 */
export function keepProofs(model: LanguageModelV4, provider: string): LanguageModelV4 {
  return withStream(model, async (options) => {
    const result = await model.doStream(options);
    const keeper = new ProofKeeper(provider);
    const transform = new TransformStream<Part, Part>({
      transform(part, controller) {
        for (const kept of keeper.take(part)) controller.enqueue(kept);
      },
    });
    return { ...result, stream: result.stream.pipeThrough(transform) };
  });
}

const sealed = /^([a-z0-9-]+):(thinking|text|call):(\{.*\})$/s;

/** Whether a signature was made here. Anthropic's own, which come to us directly, look different. */
export function isSealedProof(signature: string): boolean {
  return sealed.test(signature);
}

/** The proof in a signature, unless it is another provider's. */
export function readProof(signature: string, provider: string): Proof | undefined {
  const [, owner, place, json] = sealed.exec(signature) ?? [];
  if (owner !== provider || json === undefined) return undefined;
  try {
    return { place: place as Place, options: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

/** The same model with another `doStream`. */
export function withStream(model: LanguageModelV4, doStream: LanguageModelV4['doStream']): LanguageModelV4 {
  const { provider, modelId, supportedUrls } = model;
  const doGenerate: LanguageModelV4['doGenerate'] = (options) => model.doGenerate(options);
  return { specificationVersion: 'v4', provider, modelId, supportedUrls, doGenerate, doStream };
}

class ProofKeeper {
  readonly #held = new Map<string, SharedV4ProviderMetadata>();
  readonly #begun = new Set<string>();
  #carriers = 0;

  constructor(private readonly provider: string) {}

  take(part: Part): Part[] {
    switch (part.type) {
      case 'reasoning-start':
        this.#hold(`thinking ${part.id}`, part.providerMetadata);
        return [{ type: 'reasoning-start', id: part.id }];
      case 'reasoning-delta':
        this.#hold(`thinking ${part.id}`, part.providerMetadata);
        return part.delta ? [{ type: 'reasoning-delta', id: part.id, delta: part.delta }] : [];
      case 'reasoning-end': {
        this.#hold(`thinking ${part.id}`, part.providerMetadata);
        const proof = this.#seal('thinking', this.#held.get(`thinking ${part.id}`));
        return [...(proof ? [signed(part.id, proof)] : []), { type: 'reasoning-end', id: part.id }];
      }
      case 'text-start':
        this.#hold(`text ${part.id}`, part.providerMetadata);
        return [];
      case 'text-delta':
        this.#hold(`text ${part.id}`, part.providerMetadata);
        return this.#text(part.id, part.delta);
      case 'text-end': {
        this.#hold(`text ${part.id}`, part.providerMetadata);
        const end: Part[] = this.#begun.has(`text ${part.id}`) ? [{ type: 'text-end', id: part.id }] : [];
        return [...end, ...this.#carry('text', this.#held.get(`text ${part.id}`))];
      }
      case 'tool-input-start':
        this.#begun.add(`call ${part.id}`);
        return [...this.#carry('call', part.providerMetadata), part];
      case 'tool-call':
        if (this.#begun.has(`call ${part.toolCallId}`)) return [part];
        return [...this.#carry('call', part.providerMetadata), part];
      default:
        return [part];
    }
  }

  #hold(key: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const held = this.#held.get(key) ?? {};
    for (const [name, said] of Object.entries(metadata ?? {})) {
      const told = Object.entries(said).filter(([, value]) => value !== null && value !== undefined);
      if (told.length > 0) held[name] = { ...held[name], ...Object.fromEntries(told) };
    }
    this.#held.set(key, held);
  }

  /** A text begins with its first letter: one that only carries a proof is not a text. */
  #text(id: string, delta: string): Part[] {
    if (!delta) return [];
    const start: Part[] = this.#begun.has(`text ${id}`) ? [] : [{ type: 'text-start', id }];
    this.#begun.add(`text ${id}`);
    return [...start, { type: 'text-delta', id, delta }];
  }

  #carry(place: Place, metadata: SharedV4ProviderMetadata | undefined): Part[] {
    const proof = this.#seal(place, metadata);
    if (!proof) return [];
    const id = `proof ${this.#carriers++}`;
    return [{ type: 'reasoning-start', id }, signed(id, proof), { type: 'reasoning-end', id }];
  }

  #seal(place: Place, metadata: SharedV4ProviderMetadata | undefined): string | undefined {
    const kept = Object.entries(metadata ?? {}).flatMap(([name, said]) => {
      const fields = Object.entries(said).filter(([field]) => wanted[place]?.includes(field) ?? true);
      return fields.length > 0 ? [[name, Object.fromEntries(fields)] as const] : [];
    });
    if (kept.length === 0) return undefined;
    return `${this.provider}:${place}:${JSON.stringify(Object.fromEntries(kept))}`;
  }
}

/** For texts and calls only what must go back; ids and annotations need not. For thinking everything. */
const wanted: Partial<Record<Place, readonly string[]>> = {
  text: ['thoughtSignature', 'phase'],
  call: ['thoughtSignature'],
};

/** Answers look for the signature of thinking under this name, whichever provider made it. */
function signed(id: string, signature: string): Part {
  return { type: 'reasoning-delta', id, delta: '', providerMetadata: { anthropic: { signature } } };
}
