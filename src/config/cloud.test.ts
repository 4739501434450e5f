import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dictFrom } from '../data/mod.ts'
import { readCloudFiles } from './cloud.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-cloud-files-'))
  mkdirSync(join(folder, 'cloud.providers.d'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

async function read() {
  const logged: string[] = []
  const opts = dictFrom({ conf_file: join(folder, 'master'), config_dir: folder, cachedir: join(folder, 'cache') })
  const { providers } = await readCloudFiles({
    opts,
    log: (level, text) => void (level === 'warning' && logged.push(text)),
    env: {},
  })
  return { logged, settings: providers.map(({ alias, settings }) => [alias, Object.fromEntries(settings)]) }
}

test('A provider that two files define is named with both places', async () => {
  write('cloud.providers.d/a.conf', 'mine:\n  driver: saltify\n  minion: {master: one}\n')
  write('cloud.providers.d/b.conf', '# another\nmine:\n  driver: saltify\n  ssh_username: root\n')
  const { logged, settings } = await read()
  expect(settings).toEqual([['mine', { minion: dictFrom({ master: 'one' }), ssh_username: 'root' }]])
  const place = (name: string, line: number): string => `${join(folder, 'cloud.providers.d', name)}, line ${line}`
  expect(logged).toEqual([
    `The provider 'mine' is defined in ${place('a.conf', 1)} and again in ${place('b.conf', 2)}, whose settings count where both set one`,
  ])
})

test('Providers of several files with names of their own say nothing', async () => {
  write('cloud.providers.d/a.conf', 'one:\n  driver: saltify\n')
  write('cloud.providers.d/b.conf', 'two:\n  driver: saltify\n')
  const { logged, settings } = await read()
  expect(settings.map(([alias]) => alias)).toEqual(['one', 'two'])
  expect(logged).toEqual([])
})
