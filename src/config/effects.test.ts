import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clientConfig, masterConfig } from './master.ts'
import { minionConfig } from './minion.ts'
import { placeOfOption } from './source.ts'

let folder: string
let lines: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-effects-'))
  lines = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function read(text: string, config = masterConfig) {
  const path = join(folder, 'config')
  writeFileSync(path, `root_dir: ${folder}\nid: a\n${text}`)
  const log = (level: string, line: string) => {
    if (level !== 'debug' || line.startsWith('Option')) lines.push(`${level}: ${line}`)
  }
  return config({ path, env: { XDG_CONFIG_HOME: folder }, log })
}

test.each([masterConfig, minionConfig])(
  'An option of a part that is not here yet is reported with its place',
  async (config) => {
    await read('logstash_udp_handler:\n  host: log.example.com\n', config)
    expect(lines).toEqual([
      `warning: Option 'logstash_udp_handler' in ${folder}/config, line 3 has no effect in this version, which does not have log handlers besides console, file and system log yet`,
    ])
  },
)

test('So is one of an included file, and one under an old name', async () => {
  mkdirSync(join(folder, 'more'))
  writeFileSync(join(folder, 'more', 'a.conf'), '\nclient_acl: {}\nlogstash_zmq_handler: {x: 1}\n')
  await read('default_include: more/*.conf\n')
  expect(lines.map((line) => line.replace(/ has no effect.*/, ''))).toEqual([
    `warning: Option 'logstash_zmq_handler' in ${folder}/more/a.conf, line 3`,
    `warning: Option 'client_acl' in ${folder}/more/a.conf, line 2 is now called 'publisher_acl'`,
  ])
})

test('The default of such an option has no effect', async () => {
  await read('cache: localfs\ngitfs_depth: 1\ngitfs_root: null\nssh_timeout: 60\n')
  expect(lines).toEqual([])
})

test('A needless option is reported on request', async () => {
  await read('mworker_niceness: 5\n')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(
    /^debug: Option 'mworker_niceness' in .*, line 3 has no effect: The parts of a master are one process/,
  )
})

test('A client leaves the options of the master to the master', async () => {
  await read('gitfs_remotes: [https://git.example.com/states]\nfileserver_backend: [git]\n', clientConfig)
  expect(lines).toEqual([])
})

test("The user's own file of a client is looked at as well", async () => {
  mkdirSync(join(folder, 'salt'))
  writeFileSync(join(folder, 'salt', 'saltrc'), 'logstash_udp_handler: {x: 2}\n')
  await read('', clientConfig)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(`'logstash_udp_handler' in ${folder}/salt/saltrc, line 1 has no effect in this version`)
})

test('Files of minions without leave to push them are worth a warning', async () => {
  await read('fileserver_backend: [roots, minionfs]\n')
  expect(lines).toEqual([
    `warning: Option 'fileserver_backend' in ${folder}/config, line 3 names 'minionfs', which serves nothing while file_recv is not set`,
  ])
  lines = []
  await read('fileserver_backend: [roots, minionfs]\nfile_recv: True\n')
  expect(lines).toEqual([])
})

test('The place of an option is known later', async () => {
  const opts = await read('ext_job_cache: redis\n')
  expect(placeOfOption(opts, 'ext_job_cache')).toBe(` in ${folder}/config, line 3`)
  expect(placeOfOption(opts, 'event_return')).toBe('')
})

test('An unavailable transport is reported with its place', async () => {
  await read('transport: udp\n')
  expect(lines).toEqual([
    `error: Option 'transport' in ${folder}/config, line 3 names 'udp', which this version does not have; it has zeromq, tcp, ws`,
  ])
})
