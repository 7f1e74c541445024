import pg from 'pg';

const firstWaitMs = 250;
const maxWaitMs = 5000;

/** LISTEN on its own connection, which is opened again, with growing pauses, when it is lost. */
export function openPostgresBell(options: pg.ClientConfig, channel: string) {
  const listeners = new Set<(topic: string) => void>();
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let waitMs = firstWaitMs;
  let isClosed = false;

  const retry = (lost: pg.Client) => {
    if (isClosed || client !== lost) return;
    client = undefined;
    lost.end().catch(() => {});
    timer = setTimeout(connect, waitMs);
    waitMs = Math.min(waitMs * 2, maxWaitMs);
  };
  const connect = () => {
    const one = new pg.Client(options);
    client = one;
    one.on('error', () => retry(one));
    one.on('end', () => retry(one));
    one.on('notification', ({ payload }) => tell(payload ?? ''));
    one
      .connect()
      .then(() => one.query(`listen "${channel}"`))
      .then(() => {
        waitMs = firstWaitMs;
      })
      .catch(() => retry(one));
  };
  const tell = (topic: string) => {
    for (const heard of [...listeners]) heard(topic);
  };
  return {
    listen(heard: (topic: string) => void) {
      if (!client && !timer) connect();
      listeners.add(heard);
      return () => {
        listeners.delete(heard);
      };
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      listeners.clear();
      await client?.end().catch(() => {});
    },
  };
}
