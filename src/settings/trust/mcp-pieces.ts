import { isRecord } from '../../lib/fields/field-values.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { parseJson } from '../json.ts';
import type { TrustPiece } from './piece.ts';

/** The servers of a `.mcp.json`, each a piece, so a change to one asks about that one only. A server is a program or an address. */
export function mcpPieces(file: string, text: string): Result<TrustPiece[]> {
  if (text.trim() === '') return ok([]);
  const json = parseJson(text);
  if (!json.ok) {
    const { line, column, expected } = json.problem;
    return usage(`${file}:${line}:${column}: not valid JSON: expected ${expected}`);
  }
  const servers = isRecord(json.value) ? (json.value.mcpServers ?? {}) : undefined;
  if (!isRecord(servers)) return usage(`${file}: mcpServers: expected an object of servers`);
  return ok(
    Object.entries(servers).map(([name, content]) => ({ kind: 'mcp-server' as const, file, name, content })),
  );
}
