/** How much a model should think, as one of the usual words or as a number of tokens. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof efforts)[number] | number;
