import { expect, test } from 'bun:test';
import { readEngineAddress } from '../../src/remote/engines/address.ts';

test('an address is shown without its password', () => {
  const address = readEngineAddress('redis://user:secret@127.0.0.1:6379');
  expect(address.ok ? address.value.title : '').toBe('redis://user@127.0.0.1:6379');
});

test('a connection to another machine must be encrypted, or be said to be plain', () => {
  for (const text of [
    'redis://engine.test',
    'postgres://engine.test/jobs',
    'postgres://engine.test/jobs?sslmode=disable',
  ])
    expect(readEngineAddress(text)).toMatchObject({ ok: false, problem: { kind: 'usage' } });
  for (const text of [
    'rediss://engine.test',
    'postgres://engine.test/jobs?sslmode=verify-full',
    'redis://engine.test?plain=yes',
    'redis://127.0.0.1',
    'postgres://localhost/jobs',
  ])
    expect(readEngineAddress(text).ok).toBe(true);
});

test('an address of something else is refused with the ones that are known', () => {
  const address = readEngineAddress('amqp://127.0.0.1');
  expect(address).toMatchObject({ ok: false, problem: { kind: 'usage' } });
  expect(address.ok ? '' : address.problem.hint).toContain('postgres://');
});

test('an address whose password would be taken for a host is refused without a word of it', () => {
  const address = readEngineAddress('postgres://cadre:p@ss/word@127.0.0.1/jobs');
  const said = address.ok ? address.value.title : `${address.problem.message} ${address.problem.hint}`;
  expect(said).toContain('@ as %40');
  expect(said).not.toContain('ss/word');
  expect(readEngineAddress('postgres://cadre:p%40ss@127.0.0.1/jobs?sslrootcert=/a@b').ok).toBe(true);
});

test('an address has one title, however it is written', () => {
  for (const text of [
    'redis://127.0.0.1:6379',
    'redis://127.0.0.1:6379/',
    'redis://:x@127.0.0.1:6379?plain=yes',
  ]) {
    const address = readEngineAddress(text);
    expect(address.ok ? address.value.title : '').toBe('redis://127.0.0.1:6379');
  }
});
