// Scenarios recorded from real Salt: a master, minions and files, and steps with what came of each
// (the README beside the recordings has the format).
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export interface Step {
  run?: string
  on?: string
  stdin?: string
  exit?: number
  stdout?: string
  stderr?: string
  json?: Json
  action?: string
  wait_event?: string
  observed?: string
  seen?: boolean
  note?: string
  [other: string]: unknown
}

export interface RecordedEvent {
  tag: string
  data: { [key: string]: Json }
}

export interface Scenario {
  scenario: string
  description: string
  setup: {
    master: { [option: string]: Json }
    minions: { [id: string]: { grains?: { [name: string]: Json }; config?: { [option: string]: Json } } }
    files?: { [path: string]: string }
  }
  steps: Step[]
  events: RecordedEvent[]
}

const PROBE = 'srv/salt/_modules/probe.py'

/** Recordings were made one after the other, and some use the module that an earlier one brought. */
function withProbe(scenario: Scenario, probe: string | undefined): Scenario {
  const { setup, steps } = scenario
  const isUsed = /\bprobe\./.test(JSON.stringify([steps, setup.files ?? {}]))
  if (!isUsed || probe === undefined) return scenario
  return { ...scenario, setup: { ...setup, files: { [PROBE]: probe, ...setup.files } } }
}

export function readScenarios(directory: string, filter?: string): Scenario[] {
  const inner = join(directory, 'live')
  const folder = existsSync(inner) ? inner : directory
  const scenarios = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario)
  const probe = scenarios.find(({ setup }) => setup.files?.[PROBE] !== undefined)?.setup.files?.[PROBE]
  return scenarios
    .filter(({ scenario }) => filter === undefined || scenario.includes(filter))
    .map((scenario) => withProbe(withTree(scenario, scenarios), probe))
}

/** All were recorded over one tree of states, of which each names only the files it speaks of. */
function withTree(scenario: Scenario, all: readonly Scenario[]): Scenario {
  const { setup } = scenario
  const isOfMaster = /^(orch|reactor)-/.test(scenario.scenario)
  const paths = isOfMaster ? /^srv\/(salt|pillar)\// : /^srv\/(salt|pillar)\/[^_].*\.sls$/
  const shared = all.flatMap((other) => Object.entries(other.setup.files ?? {})).filter(([path]) => paths.test(path))
  return { ...scenario, setup: { ...setup, files: { ...Object.fromEntries(shared), ...setup.files } } }
}
