/** Why a filter of jq or yq is not known to look only at its input. */
export function faultOfFilter(filter: string | undefined): string | undefined {
  if (filter === undefined) return 'a filter that is computed';
  const word =
    /\b(?:env|strenv|envsubst|load\w*|system|eval\w*|import|include|modulemeta|ENV|from_file|input_filename)\b/.exec(
      filter,
    );
  return word ? `a filter with ${word[0]} may look at more than its input` : undefined;
}
