// Scenarios recorded from real Salt: a master, minions and files, and steps with their results (the README beside the
// recordings describes the format).
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownUser } from '../../src/base/mod.ts'

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
  http?: string
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
    /** A master below, with a syndic beside it, and its minions with their grains. */
    lower_master?: { [option: string]: Json }
    lower_minions?: { [id: string]: { [name: string]: Json } }
  }
  steps: Step[]
  events: RecordedEvent[]
}

/** Ours were recorded one by one, each with all it needs. */
const isAlone = ({ scenario }: Scenario): boolean => scenario.startsWith('more-')

/** Recordings were made one after the other, and some use modules of an earlier one. */
function withModules(scenario: Scenario, all: readonly Scenario[]): Scenario {
  const { setup, steps } = scenario
  const words = JSON.stringify([steps, setup.minions, setup.files ?? {}])
  const isUsed = (path: string): boolean => {
    const [, kind, name] = /^srv\/salt\/_(modules|beacons)\/(\w+)\.py$/.exec(path) ?? []
    return (
      kind !== undefined && new RegExp(kind === 'modules' ? `\\b${name}\\.` : `beacons\\.add ${name}\\b`).test(words)
    )
  }
  const used = all.flatMap((other) => Object.entries(other.setup.files ?? {})).filter(([path]) => isUsed(path))
  return { ...scenario, setup: { ...setup, files: { ...Object.fromEntries(used), ...setup.files } } }
}

/** Recordings were made by root; jobs name the user that publishes them, in events and in printed JSON. */
function ofOwnUser(text: string): string {
  return text.replace(/(\\?"(?:__pub_)?user\\?": ?\\?")root(\\?")/g, (_, before, after) => before + ownUser() + after)
}

export function readScenarios(directory: string, filter?: string): Scenario[] {
  const inner = join(directory, 'live')
  const folder = existsSync(inner) ? inner : directory
  const scenarios = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(ofOwnUser(readFileSync(join(folder, file), 'utf8'))) as Scenario)
  return scenarios
    .filter(({ scenario }) => filter === undefined || scenario.includes(filter))
    .map((scenario) => (isAlone(scenario) ? scenario : withTree(withModules(scenario, scenarios), scenarios)))
}

/** All scenarios were recorded with one tree of states; each names only the files that it uses. */
function withTree(scenario: Scenario, all: readonly Scenario[]): Scenario {
  const { setup } = scenario
  const isOfMaster = /^(orch|reactor)-/.test(scenario.scenario)
  const paths = isOfMaster ? /^srv\/(salt|pillar)\// : /^srv\/(salt|pillar)\/[^_].*\.sls$/
  const shared = all.flatMap((other) => Object.entries(other.setup.files ?? {})).filter(([path]) => paths.test(path))
  return { ...scenario, setup: { ...setup, files: { ...Object.fromEntries(shared), ...setup.files } } }
}
