// Grains: parsing of the files of many distributions, and the grains of simulated machines with their types
// (cases/grains/README.md).
import { type Dict, fromPlain, isInt, type Value } from '../../../src/data/mod.ts'
import {
  collectGrains,
  distributionGrains,
  Machine,
  namesFromOsRelease,
  osGrains,
  parseOsRelease,
  releaseGrains,
  windowsGrainsFrom,
} from '../../../src/grains/mod.ts'
import { MemoryHost } from '../../../src/host/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { debian, freebsd, macos, WINDOWS } from '../fixtures/machines.ts'

async function osRelease(testCase: Case): Promise<Dict> {
  const files = Object.entries(testCase['files'] as Record<string, string>)
  const host = await MemoryHost.with({ files: Object.fromEntries(files.map(([path, text]) => [`/${path}`, text])) })
  const machine = new Machine(host)
  const grains = await distributionGrains(machine)
  const text = (name: string): string => String(grains.get(name) ?? '')
  for (const [name, value] of releaseGrains(text('os'), text('osfullname'), text('osrelease'))) grains.set(name, value)
  const answer: Dict = new Map([['grains', inOrder(grains)]])
  if (!('os_release_only' in testCase)) return answer
  const release = (await machine.text('/etc/os-release')) ?? (await machine.text('/usr/lib/os-release'))
  const names = release === undefined ? null : Object.entries(namesFromOsRelease(parseOsRelease(release)))
  return answer.set('os_release_only', names === null ? null : inOrder(new Map<Value, Value>(names)))
}

const inOrder = (dict: Dict): Dict => new Map([...dict].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)))

const OPTS: Dict = new Map<Value, Value>([
  ['id', 'box'],
  ['master', 'salt'],
])

let collected: Promise<Record<string, Dict>> | undefined

async function collect(): Promise<Record<string, Dict>> {
  const [plain, dmi] = await Promise.all([debian(), debian({ dmi: true })])
  return {
    linux: await collectGrains({ opts: OPTS, host: plain }),
    dmi: await collectGrains({ opts: OPTS, host: dmi }),
    freebsd: await osGrains(new Machine(await freebsd()), OPTS),
    macos: await osGrains(new Machine(await macos()), OPTS),
    windows: windowsGrainsFrom(fromPlain(WINDOWS) as Dict),
  }
}

function machines(): Promise<Record<string, Dict>> {
  collected ??= collect()
  return collected
}

function shapeOf(value: Value | undefined): Json {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  if (isInt(value)) return 'int'
  if (Array.isArray(value)) return { list: value.map(shapeOf) }
  return value instanceof Map ? { map: [...value.values()].map(shapeOf) } : 'string'
}

/** A list or dict fits when each of its items has a shape that was recorded, or none was. */
function fits(shape: Json, recorded: Json): boolean {
  if (typeof shape === 'string' || typeof recorded === 'string') return shape === recorded
  const [kind, items] = Object.entries(shape as Record<string, Json[]>)[0]!
  const known = (recorded as Record<string, Json[]>)[kind]
  return known !== undefined && (known.length === 0 || items.every((item) => known.some((one) => fits(item, one))))
}

/** The recorded shape when ours fits it. */
const shown = (value: Value | undefined, recorded: Json): Json => {
  const shape = shapeOf(value)
  return fits(shape, recorded) ? recorded : shape
}

async function linuxShape(testCase: Case): Promise<Json> {
  const value = (await machines())['linux']!.get(testCase['grain'] as string)
  const answer: Record<string, Json> = { shape: shown(value, testCase['shape'] as Json) }
  if ('value' in testCase) answer['value'] = value as Json
  return answer
}

const PLATFORMS = ['linux', 'freebsd', 'macos', 'windows_from_reading']

/** Only recorded fields; `null` means that the function was not run there. */
function recordedFields(testCase: Case): Record<string, Json> {
  const fields = [...PLATFORMS, 'shape_freebsd', 'shape_macos'].map((name) => [name, testCase[name] as Json] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== null && value !== undefined))
}

async function platformNames(testCase: Case): Promise<Json> {
  const { linux, dmi, freebsd, macos, windows } = await machines()
  const grain = testCase['grain'] as string
  const answer = recordedFields(testCase)
  for (const name of Object.keys(answer)) {
    if (name === 'shape_freebsd') answer[name] = shown(freebsd!.get(grain), answer[name]!)
    else if (name === 'shape_macos') answer[name] = shown(macos!.get(grain), answer[name]!)
    else if (name === 'freebsd') answer[name] = freebsd!.has(grain)
    else if (name === 'macos') answer[name] = macos!.has(grain)
    else if (name === 'windows_from_reading') answer[name] = windows!.has(grain)
    else answer[name] = linux!.has(grain) || (dmi!.has(grain) && 'with DMI')
  }
  return answer
}

const area: Area = {
  name: 'grains',
  recorded(testCase) {
    if ('files' in testCase) {
      const expect: Record<string, Json> = { grains: testCase['grains'] as Json }
      if ('os_release_only' in testCase) expect['os_release_only'] = testCase['os_release_only'] as Json
      return { expect }
    }
    if ('provided_by' in testCase) return { expect: recordedFields(testCase) }
    const { shape, value } = testCase as unknown as { shape: Json; value?: Json }
    return { expect: value === undefined ? { shape } : { shape, value } }
  },
  async run(testCase: Case): Promise<Outcome> {
    if ('files' in testCase) return { expect: await osRelease(testCase) }
    const answer = 'provided_by' in testCase ? await platformNames(testCase) : await linuxShape(testCase)
    return { expect: fromPlain(answer) }
  },
}

export default area
