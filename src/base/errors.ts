// The error shape of the project: a code from the closed union of the room that raises it, a message that names the
// failing action, and the place in the source text, if there is one. The message often equals one of Salt's, because it
// is compared; users see the reason.

/** A place in a source text; lines and columns count from 1. */
export interface Position {
  file?: string
  line: number
  column?: number
}

export interface ErrorDetails {
  /** The cause of the error, for messages whose fixed text does not name it. */
  reason?: string | undefined
  /** What the user can try instead: an existing name, another notation. */
  hint?: string | undefined
  at?: Position | undefined
  cause?: unknown
}

export class BrineError<Code extends string = string> extends Error {
  readonly code: Code
  /** The cause of the error in plain words. */
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

/** Return a thrown value as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Node 24 and newer append this to the error of a certificate check; Brine's programs do not have the flag in it. */
const NODE_ADVICE = /; if the root CA is installed locally, try running Node\.js with --use-system-ca$/

/** Return the result of a certificate check in OpenSSL's words, the same on every version of Node. */
export function certificateProblem(message: string): string {
  return message.replace(NODE_ADVICE, '')
}
