// The one error shape of the project: a code from a closed union of the folder that raises it, a message that
// names the failing action, and, where there is a source text, the place in it. The message is often one of Salt's,
// kept to the letter because it is compared; people are shown the reason.

/** A place in a source text; lines and columns count from 1. */
export interface Position {
  file?: string
  line: number
  column?: number
}

export interface ErrorDetails {
  /** What went wrong, where the message must be one that does not say it. */
  reason?: string | undefined
  /** What to try instead: a name that exists, another way to write it. */
  hint?: string | undefined
  at?: Position | undefined
  cause?: unknown
}

export class BrineError<Code extends string = string> extends Error {
  readonly code: Code
  /** What went wrong, in words for people. */
  readonly reason: string
  readonly hint: string | undefined
  at: Position | undefined

  constructor(code: Code, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.reason = details.reason ?? message
    this.hint = details.hint
    this.at = details.at
  }
}

/** Return a message with its hint: in one line, or below a message of several lines. */
export function withHint(message: string, hint: string | undefined): string {
  if (hint === undefined) return message
  if (message.trimEnd().includes('\n')) return `${message.trimEnd()}\n${hint}`
  return `${message.trimEnd().replace(/[.]$/, '')}. ${hint}`
}

/** Whatever was thrown, as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Node 24 and newer append this to the error of a certificate check; none of our programs takes the flag it names. */
const NODE_ADVICE = /; if the root CA is installed locally, try running Node\.js with --use-system-ca$/

/** Return what a check of a certificate found, in OpenSSL's words and the same on every version of Node. */
export function certificateProblem(message: string): string {
  return message.replace(NODE_ADVICE, '')
}
