// The broken trees of test/broken-trees: their errors are found before states are applied.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Dict, isDict, str, type Value } from '../../src/data/mod.ts'
import type { Finding } from '../../src/doctor/mod.ts'
import { load } from '../../src/yaml/mod.ts'
import { PlantedSite } from './planted-site.ts'

const folder = join(import.meta.dirname, '../broken-trees/trees')

/** Faults that cannot be found by reading a tree. */
const OF_A_RUN: Readonly<Record<string, string>> = {
  'cmd-missing-cwd': 'a folder of the machine',
  'missing-directory': 'a folder of the machine',
  'relative-path': 'judged by the state itself',
  'wrong-type-context': 'judged by the state itself',
  'wrong-type-env': 'judged by the state itself',
  'wrong-type-name': 'judged by the state itself',
  'template-included-broken': 'templates of files are parsed, not rendered',
  'template-of-file-broken': 'templates of files are parsed, not rendered',
  'py-exception': 'Python is not run',
  'pydsl-exception': 'Python is not run',
  'pyobjects-exception': 'Python is not run',
  'pillar-py-exception': 'Python is not run',
  'pillar-override-not-a-dict': 'of the command line',
  'single-unknown': 'of the command line',
  'sls-id-missing': 'of the command line',
  'unknown-command-option': 'of the command line',
  'unknown-execution-function': 'of the command line',
  'top-matches-nothing': 'no fault of the tree',
  'top-missing': 'no fault of the tree',
}

const names = readdirSync(folder).map((file) => file.replace(/[.]yaml$/, ''))
const GRAINS = 'id: web1\nos: Debian\nos_family: Debian\nkernel: Linux\nsaltversioninfo: [3008, 2]\n'
const MINION =
  'id: web1\nfile_client: local\nroot_dir: $DIR/minion\nfile_roots: {base: [$DIR/salt]}\npillar_roots: {base: [$DIR/pillar]}\n'

function readTree(name: string): { files: Record<string, string>; says: string[] } {
  const data = load(readFileSync(join(folder, `${name}.yaml`), 'utf8')) as Dict
  const given = data.get('files')!
  const files = Object.fromEntries(isDict(given) ? [...given].map(([path, text]) => [str(path), str(text)]) : [])
  const sls = /^state[.]apply (\w+)/.exec(str(data.get('call')!))?.[1]
  const top =
    sls === undefined || files['salt/top.sls'] !== undefined ? {} : { 'salt/top.sls': `base: {'*': [${sls}]}` }
  return {
    files: { 'etc/minion': MINION, 'grains.yaml': GRAINS, ...top, ...files },
    says: (data.get('says') as Value[]).map(str),
  }
}

/** The places of the errors, where their texts name a file of the tree. */
const placesIn = (says: readonly string[]): string[] =>
  says.flatMap((text) => {
    const [, file, line] = /[$]DIR\/([\w./-]+)(?::|, line )(\d+)/.exec(text) ?? []
    return file === undefined ? [] : [`${file}:${line}`]
  })

/** Argument and source errors name the argument, a run names its state. */
const NEARER = new Set(['missing-source', 'recurse-missing-source', 'config-bad-yaml'])

const looked = (site: PlantedSite): Promise<Finding[]> => site.examined({ grains: [join(site.dir, 'grains.yaml')] })

describe('the doctor', () => {
  let site: PlantedSite
  afterEach(() => site.remove())

  test.each(names.filter((name) => !Object.hasOwn(OF_A_RUN, name)))(
    'finds the fault of a broken tree: %s',
    async (name) => {
      site = new PlantedSite()
      const { files, says } = readTree(name)
      site.write(files)
      const errors = (await looked(site)).filter(({ level }) => level === 'error')
      expect(errors.length).toBeGreaterThan(0)
      const found = errors.map((one) => site.shown(one).split(' ').at(-1)!)
      if (!NEARER.has(name)) expect(found).toEqual(expect.arrayContaining(placesIn(says)))
    },
  )

  test.each(Object.keys(OF_A_RUN))('reports nothing about a tree whose fault shows in a run: %s', async (name) => {
    site = new PlantedSite()
    site.write(readTree(name).files)
    const found = (await looked(site)).filter(({ level }) => level !== 'note')
    expect(found).toEqual([])
  })
})
