// salt-cp against a running minion: files and whole directories, in pieces.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { saltCp } from '../../src/cli/mod.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster

beforeEach(async () => {
  site = await TestSite.open()
  master = await site.master()
  await site.minion('web1')
})
afterEach(() => site.close())

async function copy(...words: string[]): Promise<{ status: number; out: string }> {
  let out = ''
  const streams = { out: (text: string) => void (out += text), err: () => undefined, terminal: false }
  return { status: await saltCp(['-c', master.config, '--out', 'json', ...words], streams), out }
}

test('Directories are copied with all that is in them', async () => {
  const from = join(site.root, 'app')
  mkdirSync(join(from, 'conf/empty'), { recursive: true })
  const large = randomBytes(250_000)
  writeFileSync(join(from, 'large'), large, { mode: 0o750 })
  for (let count = 0; count < 20; count++) writeFileSync(join(from, `conf/${count}.conf`), `n=${count}\n`)
  const to = join(site.root, 'to')
  const { status, out } = await copy('-C', 'web1', from, to)
  const answers = (JSON.parse(out) as Record<string, Record<string, boolean>>)['web1']!
  expect([status, Object.keys(answers).length, Object.values(answers).every(Boolean)]).toEqual([0, 22, true])
  expect(readFileSync(join(to, 'app/large')).equals(large)).toBe(true)
  expect(statSync(join(to, 'app/large')).mode & 0o777).toBe(0o750)
  expect(readdirSync(join(to, 'app/conf'))).toHaveLength(21)
  expect(statSync(join(to, 'app/conf/empty')).isDirectory()).toBe(true)
})

test('Files go in one call, directories not', async () => {
  const [a, b] = [join(site.root, 'a'), join(site.root, 'b')]
  for (const file of [a, b]) writeFileSync(file, `${file}\n`)
  const to = join(site.root, 'to')
  mkdirSync(to)
  expect(JSON.parse((await copy('web1', a, b, to)).out)).toEqual({
    web1: { [join(to, 'a')]: true, [join(to, 'b')]: true },
  })
  expect(readFileSync(join(to, 'b'), 'utf8')).toBe(`${b}\n`)
  const text = 'only files are supported in non-chunked mode. Use "--chunked" command line argument.'
  expect(await copy('web1', to, join(site.root, 'c'))).toEqual({ status: 1, out: `${to} is a directory, ${text}\n` })
  expect((await copy('-C', 'web1', join(site.root, 'none'), to)).status).toBe(42)
})
