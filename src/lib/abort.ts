/**
 * Aborts the child when the parent aborts, with the same reason, never the other way. Call the returned function in cleanup:
 * until then the parent keeps the child alive. Not `AbortSignal.any`, which keeps memory for every signal it ever joined.
 */
export function linkAbort(parent: AbortSignal, child: AbortController): () => void {
  const unlink = () => {
    parent.removeEventListener('abort', pass);
    child.signal.removeEventListener('abort', unlink);
  };
  const pass = () => {
    unlink();
    child.abort(parent.reason);
  };
  if (parent.aborted) {
    child.abort(parent.reason);
    return () => {};
  }
  parent.addEventListener('abort', pass, { once: true });
  child.signal.addEventListener('abort', unlink, { once: true });
  return unlink;
}
