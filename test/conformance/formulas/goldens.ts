// The goldens of public formulas (cases/formulas/README.md): one file a formula, its cases and the data they refer to.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Dict, loadJson } from '../../../src/data/mod.ts'
import type { Case } from '../area.ts'

export interface GoldenCase {
  sls: string
  profile: string
  pillar: string
  high?: string
  low?: string
  error?: string
  low_error?: string
  exception?: string
  kind?: string
}

export interface Golden {
  formula: string
  repo: string
  commit: string
  pillars: Record<string, Record<string, string>>
  random_pillars: string[]
  cases: GoldenCase[]
  /** Values, in which 1.0 is not 1. */
  data: Dict
}

/** Inputs that all goldens of a folder share. */
const SHARED = new Set(['minion.json', 'stubs.json'])

export function readGolden(file: string): Golden {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return { ...JSON.parse(text), data: (loadJson(text) as Dict).get('data') as Dict }
}

/** One case for each SLS, profile and pillar; it names its golden, which the adapter reads for itself. */
export function formulaCases(directory: string, filter?: string): Case[] {
  const cases: Case[] = []
  for (const name of readdirSync(directory).sort()) {
    if (!/\.json(\.gz)?$/.test(name) || SHARED.has(name)) continue
    const file = join(directory, name)
    const golden = readGolden(file)
    for (const [index, { sls, profile, pillar }] of golden.cases.entries()) {
      cases.push({ name: `${golden.formula}/${sls} on ${profile} with ${pillar}`, file, index })
    }
  }
  return cases.filter((testCase) => filter === undefined || testCase.name.includes(filter))
}
