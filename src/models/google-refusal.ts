import { renderValue } from '../lib/fields/describe-value.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { dailyQuota } from './providers/reset.ts';

/**
 * Google answers with its own status words, reports a bad key with 400, and puts the time to wait into the body. This
 * converts them into the shape that failures are read by; any other answer stays as it is.
 */
export function googleRefusal(error: unknown): unknown {
  const { statusCode, responseBody, responseHeaders } = (error ?? {}) as Record<string, unknown>;
  if (typeof statusCode !== 'number' || typeof responseBody !== 'string') return error;
  const said = parseError(responseBody);
  if (!said) return error;
  const message = typeof said.message === 'string' ? said.message : '';
  const isKey = statusCode === 400 && /API_KEY_INVALID|API key not valid/i.test(responseBody);
  const isTooLong = /input token count .*exceeds the maximum/i.test(message);
  const waitMs = retryDelay(said.details);
  return {
    statusCode: isKey ? 401 : statusCode,
    responseHeaders: {
      ...(typeof responseHeaders === 'object' ? responseHeaders : {}),
      ...(waitMs === undefined ? {} : { 'retry-after-ms': String(waitMs) }),
    },
    data: { error: { message, code: isTooLong ? 'context_length_exceeded' : findDailyQuota(said.details) } },
  };
}

function parseError(body: string): Record<string, unknown> | undefined {
  const answer = parseJson(body);
  return isRecord(answer) && isRecord(answer.error) ? answer.error : undefined;
}

/** `{"@type": "….QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerDayPerProject…"}]}`; a `retryDelay` beside it is used instead. */
function findDailyQuota(details: unknown): string | undefined {
  return /"quota(Id|_limit)":"\w*PerDay/.test(JSON.stringify(details) ?? '') ? dailyQuota : undefined;
}

/** `{"@type": "….RetryInfo", "retryDelay": "34.4s"}` among the details. */
function retryDelay(details: unknown): number | undefined {
  for (const detail of Array.isArray(details) ? details : []) {
    const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(renderValue(detail?.retryDelay ?? '')) ?? [];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return undefined;
}
