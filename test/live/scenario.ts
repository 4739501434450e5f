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

export function readScenarios(directory: string, filter?: string): Scenario[] {
  const inner = join(directory, 'live')
  const folder = existsSync(inner) ? inner : directory
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const all = files.sort().map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario)
  const tree = sharedFiles(all, /^srv\/(salt|pillar)\/[^_].*\.sls$/)
  for (const { setup, scenario } of all) {
    const modules = /^(orch|reactor)-/.test(scenario) ? sharedFiles(all, /^srv\/salt\/_(modules|runners)\//) : {}
    setup.files = { ...tree, ...modules, ...setup.files }
  }
  return all.filter((_scenario, index) => filter === undefined || files[index]!.includes(filter))
}

/** All were recorded over one tree of states, of which each names only the files it speaks of. */
function sharedFiles(scenarios: readonly Scenario[], paths: RegExp): Record<string, string> {
  const files = scenarios.flatMap(({ setup }) => Object.entries(setup.files ?? {}))
  return Object.fromEntries(files.filter(([path]) => paths.test(path)))
}
