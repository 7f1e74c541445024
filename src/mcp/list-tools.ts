import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { getErrorCode } from '../lib/result.ts';
import { isRefusal } from './connect.ts';

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** More than any server has; one that never ends its list is cut off. */
const maxPages = 100;

/**
 * The tools that a server offers, unchecked. The client's own way refuses the whole list for one malformed entry, so the list
 * is then asked for again and each entry is left to `readDefinition`.
 */
export async function listOffered(client: Client, timeout: number): Promise<unknown[]> {
  try {
    return (await client.listTools(undefined, { timeout })).tools;
  } catch (error) {
    // Who did not answer the first time is not waited for a second time.
    if ((await isRefusal(error)) || getErrorCode(error) === 'REQUEST_TIMEOUT') throw error;
    return listPlainly(client, timeout).catch(() => {
      throw error;
    });
  }
}

async function listPlainly(client: Client, timeout: number): Promise<unknown[]> {
  const offered: unknown[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < maxPages; count++) {
    const params = cursor === undefined ? {} : { cursor };
    const found = await client.request({ method: 'tools/list', params }, page, { timeout });
    offered.push(...found.tools);
    cursor = found.nextCursor;
    if (cursor === undefined) break;
  }
  return offered;
}
