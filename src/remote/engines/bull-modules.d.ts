/** The package's main, which its types do not cover; its other build does not load in Node. */
declare module 'bullmq/dist/cjs/index.js' {
  export * from 'bullmq';
}
