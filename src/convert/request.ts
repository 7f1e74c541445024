/** The request to the converting process: one line of JSON on its stdin, before the document's bytes. */
export type ConvertRequest =
  | { kind: 'pdf'; first: number; last: number; maxCharacters: number }
  | { kind: 'html'; base: string };

/** Its answer: one line of JSON on its stdout. */
export type ConvertReply = { ok: true; value: PdfText | HtmlText } | { ok: false; reason: string };

export interface PdfText {
  pages: { number: number; text: string }[];
  /** Number of pages in the document. */
  total: number;
}

export interface HtmlText {
  text: string;
  title?: string | undefined;
}

/** The first argument with which the program becomes the converting process. */
export const convertArgument = '--convert-document';
