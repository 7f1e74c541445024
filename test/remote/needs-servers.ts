import { needsThat } from '../support/index.ts';
import { hasPostgres, hasRedis } from './servers.ts';

export const needsRedis = needsThat(hasRedis(), 'redis-server');
export const needsPostgres = needsThat(hasPostgres(), 'PostgreSQL (postgres, initdb)');
