/**
 * Runs inside the script's own engine, before the script. It gets four values from outside and gives back two functions:
 * `run`, which takes the script as a function, and `settle`, which answers a call. Everything crosses as JSON text.
 */
export const prelude = `((post, startText) => {
  'use strict';
  const { parse, stringify } = JSON;
  const Promise = globalThis.Promise;
  const { functions, args, maxCalls, budget: total } = parse(startText);
  const waiting = new Map();
  let calls = 0, refused = 0, spent = 0, isOver = false, hasSaid = false;
  const note = (name, said) => post('{"type":"note","name":"' + name + '","text":' + stringify(said) + '}');
  const finish = (type, rest) => { hasSaid = true; post('{"type":"' + type + '","refused":' + refused + ',' + rest + '}'); };
  const text = (value, what) => {
    if (typeof value !== 'string') throw new TypeError(what + ': expected text, got ' + (value === null ? 'null' : typeof value) + '.');
    return value;
  };
  const call = (name, given) => {
    let json;
    try { json = stringify(given); } catch (error) { throw new TypeError(name + '(): ' + error.message); }
    if (calls >= maxCalls) {
      const most = 'at most ' + maxCalls + ' calls (the setting workflows.maxCalls).';
      // Many more are a mistake, and their errors would take longer than the script may compute.
      if (++refused === maxCalls + 1) finish('threw', '"reason":' + stringify('It wants more than ' + 2 * maxCalls + ' calls, and a run may make ' + most));
      throw new RangeError('This run may make ' + most);
    }
    const id = ++calls;
    post('{"type":"call","id":' + id + ',"name":' + stringify(name) + ',"args":' + json + '}');
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: false, configurable: false, enumerable: true });
  const absent = (name, why) => {
    const refuse = () => { throw new Error(name + ' is not available in a workflow: ' + why); };
    return new Proxy(function () {}, { get: refuse, apply: refuse, construct: refuse });
  };
  const repeat = 'a resumed run must repeat the same calls. Pass such values in args.';
  define('Date', absent('Date', repeat));
  Math.random = () => { throw new Error('Math.random is not available in a workflow: ' + repeat); };
  const outside = 'a script only directs agents, and they use tools.';
  for (const name of ['require', 'process', 'fetch', 'Bun', 'Deno', 'setTimeout', 'setInterval', 'XMLHttpRequest', 'WebSocket']) define(name, absent(name, outside));
  for (const name of functions) if (name !== 'agent' && name !== 'ask') define(name, (...given) => call(name, given));
  const end = (prompt, options = {}) => {
    for (const name in Object(options)) if (typeof options[name] === 'function') throw new TypeError('agent(prompt, options): ' + name + ': expected data, got a function.');
    return call('agent', [text(prompt, 'agent(prompt)'), options]);
  };
  const agent = (prompt, options) => end(prompt, options).then((got) => got.outcome === 'ok' ? got.value : null);
  agent.end = end;
  define('agent', agent);
  define('ask', (question, choices) => call('ask', [text(question, 'ask(question)'), choices]));
  define('phase', (name) => note('phase', text(name, 'phase(name)')));
  const log = (...parts) => note('log', parts.map((part) => typeof part === 'string' ? part : stringify(part) ?? String(part)).join(' '));
  define('log', log);
  define('console', Object.freeze({ log, info: log, warn: log, error: log, debug: log }));
  const list = (items, what) => {
    if (!Array.isArray(items)) throw new TypeError(what + ': expected a list, got ' + (items === null ? 'null' : typeof items) + '.');
    return items;
  };
  const allOrNull = async (items, what, work) => {
    let failed = 0;
    const orNull = (error, index) => {
      if (++failed <= 3) log(what + '[' + index + '] failed: ' + (error && error.message || error));
      return null;
    };
    const all = await Promise.all(items.map((item, index) => work(item, index).catch((error) => orNull(error, index))));
    if (failed > 3) log(what + ': ' + (failed - 3) + ' more failed');
    return all;
  };
  define('parallel', (work) => allOrNull(list(work, 'parallel(work)'), 'parallel()', async (one) => typeof one === 'function' ? one() : one));
  define('pipeline', (items, ...stages) => allOrNull(list(items, 'pipeline(items)'), 'pipeline()', async (item, index) => {
    let value = item;
    for (const stage of stages) {
      value = await stage(value, item, index);
      if (value === null) return null;
    }
    return value;
  }));
  define('budget', Object.freeze({ total, spent: () => spent, remaining: () => total === null ? Infinity : Math.max(0, total - spent) }));
  define('args', args);
  const threw = (error) => {
    const isError = typeof error === 'object' && error !== null;
    const where = isError && typeof error.stack === 'string' ? / \\(?([^ ()]+:\\d+)(?::\\d+)?\\)?\\s*$/m.exec(error.stack) : null;
    let reason = isError ? String(error.name || 'Error') + ': ' + String(error.message) : 'It threw ' + String(error);
    if (where) reason += ' (' + where[1] + ')';
    finish('threw', '"reason":' + stringify(reason.slice(0, 4000)));
  };
  return {
    run(script) {
      Promise.resolve().then(script).then((value) => {
        isOver = true;
        let json;
        try { json = stringify(value === undefined ? null : value) ?? 'null'; } catch (error) { return threw(new TypeError('The result is not data: ' + error.message)); }
        finish('done', '"value":' + json);
      }, (error) => { isOver = true; threw(error); });
    },
    settle(replyText) {
      const reply = parse(replyText);
      spent = reply.spent;
      const one = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (!one) return;
      if (reply.ok) one.resolve(reply.value);
      else one.reject(new Error(reply.error));
    },
    stuck: () => isOver
      ? hasSaid ? null : 'What it returned or threw cannot be read.'
      : waiting.size === 0 ? 'It waits for something that cannot happen: no call is open and nothing else can wake it.' : null,
  };
})`;
