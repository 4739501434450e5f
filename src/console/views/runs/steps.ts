// Labels and colours for runs and their steps, and their actions.
import type { Data } from '../../api/client.ts'
import type { Tone } from '../../ui/basic.tsx'

export type Run = Data<'/v1/runs'>['items'][number]
export type RunDetails = Data<'/v1/runs/{jid}'>
export type Step = RunDetails['steps'][number]

interface Word {
  text: string
  tone: Tone
}

export const RUN_STATES: Readonly<Record<Run['state'], Word>> = {
  running: { text: 'Running', tone: 'info' },
  succeeded: { text: 'Succeeded', tone: 'ok' },
  failed: { text: 'Failed', tone: 'failed' },
  interrupted: { text: 'Interrupted', tone: 'changed' },
}

export const STEP_STATES: Readonly<Record<Step['state'], Word>> = {
  waiting: { text: 'Waiting', tone: 'quiet' },
  running: { text: 'Running', tone: 'info' },
  succeeded: { text: 'Succeeded', tone: 'ok' },
  failed: { text: 'Failed', tone: 'failed' },
  skipped: { text: 'Not run', tone: 'quiet' },
}

/** Return the SLS files of a run as one text. */
export const modsText = (mods: unknown): string =>
  Array.isArray(mods) ? mods.map(String).join(', ') : mods === null || mods === undefined ? '' : String(mods)

/** A comment of a step as a text of one or more lines. */
export const commentText = (comment: unknown): string =>
  typeof comment === 'string' ? comment : comment === null || comment === undefined ? '' : JSON.stringify(comment)

/** Return the duration of a run so far, in milliseconds. */
export function runTime({ started, ended }: Pick<Run, 'started' | 'ended'>, now = Date.now()): number {
  return Math.max(0, (ended === null ? now : Date.parse(ended)) - Date.parse(started))
}

/** The choices for the steps of a resumed run. */
export interface Resumption {
  skip: string[]
  retry: string[]
}

/** Read the keys of steps from the address; keys that the run does not have are left out. */
export function keysIn(text: string, steps: readonly Step[]): string[] {
  const known = new Set(steps.map(({ key }) => key))
  try {
    const keys: unknown = JSON.parse(text || '[]')
    return Array.isArray(keys) ? keys.filter((key): key is string => known.has(key)) : []
  } catch {
    // an address that was cut
    return []
  }
}

/** Describe the work of a resumed run. */
export function resumeReach(steps: readonly Step[], { skip, retry }: Resumption): string {
  const left = steps.filter(({ key, state }) => state !== 'succeeded' && !skip.includes(key))
  const again = steps.filter(({ key }) => retry.includes(key))
  const names = (some: readonly Step[]): string => some.map(({ name }) => name).join(', ')
  const parts = [
    left.length > 0 && `Runs ${left.length === 1 ? 'the step' : 'the steps'} that did not succeed: ${names(left)}.`,
    again.length > 0 && `Runs again though it succeeded: ${names(again)}.`,
    skip.length > 0 && `Counts as done without running: ${names(steps.filter(({ key }) => skip.includes(key)))}.`,
    'Other steps that succeeded are not run again.',
  ]
  return parts.filter((part) => part !== false).join(' ')
}
