import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../data/mod.ts'
import { clientConfig, masterConfig } from './master.ts'

let folder: string
let lines: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-master-'))
  lines = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function read(text: string, config = masterConfig): Promise<Record<string, unknown>> {
  const path = join(folder, 'master')
  writeFileSync(path, text)
  const log = (level: string, line: string) => {
    if (level === 'warning' || level === 'error') lines.push(line)
  }
  const opts = await config({ path, env: { XDG_CONFIG_HOME: folder }, log })
  return Object.fromEntries(Array.from(opts, ([key, value]: [Value, Value]) => [key as string, toPlain(value)]))
}

describe('a master configuration', () => {
  test.each(['abc', '0', '70000', '[4505]'])('is refused with a publish_port of %s', async (port) => {
    await expect(read(`root_dir: ${folder}\npublish_port: ${port}\n`)).rejects.toThrow(
      /'publish_port' in .*, line 2 is .*, but must be a port from 1 to 65535/,
    )
  })

  test('moves its paths below root_dir and knows its workers', async () => {
    const opts = await read(`root_dir: ${folder}\nid: boss\nautosign_file: etc/auto\nworker_threads: 7\n`)
    expect(opts).toMatchObject({
      id: 'boss',
      pki_dir: `${folder}/etc/salt/pki/master`,
      autosign_file: `${folder}/etc/auto`,
      token_dir: `${folder}/var/cache/salt/master/tokens`,
      worker_pools: { default: { worker_count: 7, commands: ['*'] } },
    })
  })

  test('repacks node groups, lists ignore rules and drops invalid regular expressions', async () => {
    const text =
      "id: a\nnodegroups: [{web: 'w*'}, {db: 'd*'}]\nfile_ignore_glob: '*.tmp'\nfile_ignore_regex: ['a(', 'b']\n"
    expect(await read(text)).toMatchObject({
      nodegroups: { web: 'w*', db: 'd*' },
      file_ignore_glob: ['*.tmp'],
      file_ignore_regex: ['b'],
    })
    expect(lines).toEqual(['Unable to parse file_ignore_regex. Skipping: a('])
  })

  test('keeps rights in tokens for the REST login', async () => {
    expect(await read('id: a\nexternal_auth: {rest: {}}\n')).toMatchObject({ keep_acl_in_token: true })
  })

  test.each([
    ['worker_pools: {a: {worker_count: 0, commands: [x]}}', 'worker_count must be an integer of at least 1'],
    ['worker_pools: [a]', 'worker_pools must be a dictionary'],
    ['discovery: {tries: 3}', 'Unknown discovery option: tries'],
    ['publish_signing_algorithm: MD5', "The  publish signging algorithm 'MD5' is not valid."],
    ['ssl: {cert_reqs: NONE}', "SSL option 'cert_reqs' must be set to one of the following values"],
  ])('refuses %s', async (text, message) => {
    await expect(read(`id: a\n${text}\n`)).rejects.toThrow(message)
  })

  test('tells clients where the master listens', async () => {
    expect(await read('id: a\ninterface: "::"\nret_port: 5506\n', clientConfig)).toMatchObject({
      interface: '::1',
      master_uri: 'tcp://[::1]:5506',
    })
  })
})
