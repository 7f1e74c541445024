/** Words, paths, addresses, numbers: masking them would remove them everywhere else. */
export function isPlain(value: string): boolean {
  if (value.length < 8 || /^[\d.,:_-]+$/.test(value)) return true;
  if (/^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)(?:[-_. ](?:[a-z]+|[A-Z][a-z]+|\d{1,4}))*$/.test(value))
    return value.length < 24;
  return isPlace(value);
}

/** A path, or an address without a secret in it. */
export function isPlace(value: string): boolean {
  if (/^(?:~|\.{1,2})?\/[^\s]*$/.test(value) && !/[+=]/.test(value)) return true;
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s@]*$/i.test(value) && !/[?#].*=/.test(value);
}
