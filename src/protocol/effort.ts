/** How much a model should think, in the ecosystem's words, or as a number of tokens. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof efforts)[number] | number;
