/** The text between the two lines `---`, with lines counted from its own first. */
export interface Block {
  data: Record<string, unknown>;
  lines: Map<string, number>;
  notes: { line: number; text: string }[];
}

export interface FrontmatterProblem {
  line: number;
  reason: string;
}
