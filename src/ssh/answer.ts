// The answers of targets in Salt's forms: the result of a function, the map of a failed command, or the output of ssh
// itself.
import { BrineError, isA, isAnyError, recover } from '../base/mod.ts'
import { type Dict, dictFrom, dumpJson, findJson, isDict, isList, loadJson, type Value } from '../data/mod.ts'
import { SshError } from '../host/mod.ts'
import type { CallFailure, CallResult } from '../minion/mod.ts'

export interface SshAnswer {
  id: string
  /** The value shown under the id. */
  shown: Value
  /** The whole answer, as the job store keeps it and `salt-run ssh.cmd` shows it. */
  full: Value
  retcode: number
  /** The outputter that the function requests. */
  outputter?: string
  /** The login was refused, so that a key could be deployed. */
  isRefused?: boolean
}

/** The result of a command on a target. */
export interface Ended {
  stdout: string
  stderr: string
  retcode: number
}

/** Return the result of a command with its output as text. */
export function asText({
  stdout,
  stderr,
  retcode,
}: {
  stdout: Uint8Array
  stderr: Uint8Array
  retcode: number
}): Ended {
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
  return { stdout: text(stdout), stderr: text(stderr), retcode }
}

const FAILED = 'The command resulted in a non-zero exit code'

/** The return code for a target with an unknown host key. */
const UNKNOWN_HOST_KEY = 254
const HOST_KEY_TEXT = 'The host key needs to be accepted, to auto accept run salt-ssh with the -i flag:\n'

function endedMap({ stdout, stderr, retcode }: Ended, parsed: Value = null): Dict {
  const map: Dict = dictFrom({ stdout, stderr, retcode, parsed })
  return retcode === 0 ? map : map.set('_error', FAILED)
}

/** Return the answer of `-r`. JSON in the output is added in parsed form. */
export function rawAnswer(id: string, ended: Ended): SshAnswer {
  const full = endedMap(ended, jsonIn(ended.stdout))
  return { id, shown: full, full, retcode: ended.retcode }
}

function jsonIn(text: string): Value {
  // most output is no JSON
  return recover(isAnyError, null, () => {
    const value = findJson(text)
    return isDict(value) || isList(value) ? value : null
  })
}

export function functionAnswer(id: string, { answer, out }: CallResult): SshAnswer {
  const shown = throughJson(answer.get('return') ?? null)
  const retcode = Number(answer.get('retcode') ?? 0)
  // errors of compiling are a list, which the outputter of states would dress up
  const outputter = isDict(shown) ? out : 'nested'
  const full = new Map(answer).set('return', shown)
  return { id, shown, full, retcode, outputter }
}

/**
 * In Salt, answers of targets come as JSON: tuples are lists, and keys are text. Values without a JSON form are
 * unchanged.
 */
function throughJson(value: Value): Value {
  return recover(isA(BrineError), value, () => loadJson(dumpJson(value)))
}

/** Return a text as an answer: an error of functions on the controller. */
export function textAnswer(id: string, text: string, retcode = 1): SshAnswer {
  return { id, shown: text, full: text, retcode }
}

export function failedCall(id: string, { status, stdout, stderr }: CallFailure): SshAnswer {
  const full = endedMap({ stdout: stdout.replace(/\n$/, ''), stderr: stderr.trim(), retcode: status })
  return { id, shown: full, full, retcode: status }
}

/** Return the answer for a target that could not be reached, or whose connection was lost. */
export function unreached(id: string, error: SshError): SshAnswer {
  const { code, said, retcode } = error
  if (code === 'HostKeyUnknown') {
    const stdout = `${HOST_KEY_TEXT}\r${questionIn(said)}`
    const full = endedMap({ stdout, stderr: '', retcode: UNKNOWN_HOST_KEY })
    return { id, shown: full, full, retcode: UNKNOWN_HOST_KEY }
  }
  const stderr = withoutReturns(said).trim() || error.message
  const full = endedMap({ stdout: '', stderr, retcode: retcode || 255 })
  const isRefused = code === 'LoginRefused'
  const shown = isRefused || stderr.startsWith('ssh:') ? stderr : full
  return { id, shown, full, retcode: retcode || 255, ...(isRefused && { isRefused }) }
}

/** Remove the carriage returns at the ends of lines, which ssh writes to a terminal. */
export const withoutReturns = (text: string): string => text.replaceAll('\r\n', '\n').replace(/^\r/, '')

/** Return the question about a host key, without the later output of ssh. */
function questionIn(said: string): string {
  const text = withoutReturns(said).replace(/^\s+/, '')
  const end = text.lastIndexOf('? ')
  return end < 0 ? text : text.slice(0, end + 2)
}

/** Return the error of a lost or refused connection behind another error, if there is one. */
export function connectionErrorIn(error: unknown): SshError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof SshError) return cause
  return undefined
}
