// Issues that need attention, from the master's status. Pure, for tests.
import type { components } from '../../api/schema.d.ts'
import { bytes, count, counted } from '../../format.ts'

export type Status = components['schemas']['Status']
type Job = components['schemas']['JobSummary']
type Option = components['schemas']['Option']

/** Data besides the status; undefined if the user may not read it. */
export interface Known {
  failedJobs: readonly Job[] | undefined
  options: readonly Option[] | undefined
}

export interface Issue {
  key: string
  tone: 'failed' | 'changed' | 'info'
  title: string
  detail?: string
  /** The view that helps: its path and parameters. */
  path: readonly string[]
  params?: Readonly<Record<string, string>>
}

const LONGEST = 200

/** Delays of the event loop that people notice. */
const SLOW_MS = 500

const MOST_JOBS = 5

function ofStatus({ minions, highstates, health }: Status): Array<Issue | false> {
  return [
    health.storage !== 'ok' && {
      key: 'storage',
      tone: 'failed',
      title: 'The master cannot write its data',
      detail: health.storage.slice(0, LONGEST),
      path: ['settings'],
    },
    minions.pending > 0 && {
      key: 'pending',
      tone: 'info',
      title: `${counted(minions.pending, 'key waits', 'keys wait')} to be accepted`,
      path: ['keys'],
      params: { state: 'pending' },
    },
    minions.denied > 0 && {
      key: 'denied',
      tone: 'failed',
      title: `${counted(minions.denied, 'key was', 'keys were')} denied`,
      detail: 'A minion came with another key than the one that is accepted',
      path: ['keys'],
      params: { state: 'denied' },
    },
    minions.down > 0 && {
      key: 'down',
      tone: 'failed',
      title: `${counted(minions.down, 'minion is', 'minions are')} down`,
      path: ['minions'],
      params: { state: 'down' },
    },
    highstates.failed > 0 && {
      key: 'failed',
      tone: 'failed',
      title: `The last highstate of ${counted(highstates.failed, 'minion')} failed`,
      path: ['minions'],
      params: { result: 'failed' },
    },
    highstates.drift > 0 && {
      key: 'drift',
      tone: 'changed',
      title: `${counted(highstates.drift, 'minion')} drifted`,
      detail: 'A dry run would change something that the last highstate set',
      path: ['minions'],
      params: { result: 'drift' },
    },
    health.loopLagMs > SLOW_MS && {
      key: 'lag',
      tone: 'changed',
      title: `The master was busy for ${count(Math.round(health.loopLagMs))} ms at a stretch`,
      path: ['settings'],
    },
  ]
}

const ofJob = ({ jid, function: fun, target, counts }: Job): Issue => ({
  key: `job ${jid}`,
  tone: 'failed',
  title: `${fun} failed on ${target.slice(0, LONGEST)}`,
  detail: [
    counts.failed > 0 && `${counted(counts.failed, 'minion')} failed`,
    counts.missing > 0 && `${counted(counts.missing, 'minion')} did not return`,
  ]
    .filter(Boolean)
    .join(', '),
  path: ['jobs', jid],
})

/** Return the issues, the worst first. */
export function issuesOf(status: Status | undefined, { failedJobs = [], options = [] }: Known): Issue[] {
  const idle = options.filter(({ hasEffect, origin }) => !hasEffect && origin !== null)
  const found: Array<Issue | false> = [
    ...(status ? ofStatus(status) : []),
    ...failedJobs.slice(0, MOST_JOBS).map(ofJob),
    idle.length > 0 && {
      key: 'options',
      tone: 'changed',
      title: `${counted(idle.length, 'option has', 'options have')} no effect`,
      detail: idle
        .map(({ name }) => name)
        .join(', ')
        .slice(0, LONGEST),
      path: ['settings'],
      params: { kind: 'ineffective' },
    },
  ]
  const order = { failed: 0, changed: 1, info: 2 }
  return found.filter((issue) => issue !== false).sort((one, other) => order[one.tone] - order[other.tone])
}

/** The stores of the master by size, the largest first. */
export const storeTexts = (stores: Status['stores']): Array<[name: string, size: string]> =>
  Object.entries(stores)
    .sort(([, one], [, other]) => other - one)
    .map(([name, size]) => [name, bytes(size)])
