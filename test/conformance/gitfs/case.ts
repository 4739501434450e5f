// Cases about GitFS and git_pillar, recorded from real Salt. The README beside the recordings has the format.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '../area.ts'

/** Text, or a description of the content; null deletes. */
export type FileSpec =
  | string
  | null
  | { text: string; exec?: boolean }
  | { link: string }
  | { base64: string; exec?: boolean }
  | { repeat: string; times: number }
  | { submodule: string }

/** One operation on a repository. */
export interface Operation {
  commit?: string
  on?: string
  files?: Record<string, FileSpec>
  rename?: Record<string, string>
  parent?: string | null
  wipe?: boolean
  tag?: string
  branch?: string
  ref?: string
  at?: string
  annotated?: boolean
  delete_branch?: string
  delete_tag?: string
  head?: string
}

export interface Expectation {
  rc?: number | string
  ret?: Json
  out?: string
  log?: string[]
  text?: string
  base64?: string
  sha256?: string
  size?: number
  mode?: string
  missing?: string
  tree?: string[]
  runs?: Expectation[]
  events?: Array<{ tag: string; data: Json }>
}

export interface Step {
  cmd?: string[]
  git?: string
  ops?: Operation[]
  config?: Record<string, Json>
  write?: string
  text?: string
  remove?: string
  read?: string
  mode?: boolean
  tree?: string
  skip?: string
  master?: { start_only?: boolean; seconds?: number; do?: Step[] }
  expect?: Expectation
}

export interface GitCase {
  id: string
  note?: string
  /** Salt's answer is an accident: the expected behaviour of Brine. */
  better?: string
  repos?: Record<string, Operation[] | { head?: string; ops: Operation[] }>
  local?: Record<string, FileSpec>
  config?: Record<string, Json>
  shas?: Record<string, Record<string, string>>
  provider?: string
  steps: Step[]
}

/** The expected result of a step, named `case/index`, that differs from the recorded one, and the reason. */
export interface Difference {
  reason: string
  expect: Expectation
}

/** The declared differences, by the name of the step. */
export const differences: Readonly<Record<string, Difference>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'differences.json'), 'utf8'),
)

export const stepName = (id: string, index: number): string => `${id}/${index}`
