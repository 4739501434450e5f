import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { noSshd, startSshd, type TestSshd } from '../../test/ssh/sshd.ts'
import { silentLog } from '../base/mod.ts'
import { minionDefaults } from '../config/mod.ts'
import { type Host, LocalHost, SshHost, splitHost } from '../host/mod.ts'
import { LocalFileClient } from './local-client.ts'

const has = (program: string): boolean => existsSync(`/usr/bin/${program}`)
const missing = noSshd ?? (has('curl') ? undefined : 'no curl is installed')
if (missing) console.log(`Fetching on targets is not tested: ${missing}`)

const CONTENT = 'what the server has\n'

describe.skipIf(missing)('a source from a web server, for a target over SSH', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'on-target-'))
  const folder = join(scratch, 'cache')
  const asked: Array<{ path: string; agent: string; login: string }> = []
  let server: Server
  let url: string
  let sshd: TestSshd
  const hosts: SshHost[] = []

  beforeAll(async () => {
    sshd = await startSshd()
    mkdirSync(folder)
    server = createServer((request, response) => {
      const { url: path = '', headers } = request
      asked.push({ path, agent: headers['user-agent'] ?? '', login: headers.authorization ?? '' })
      if (path === '/absent') response.writeHead(404).end('no such thing')
      else response.end(CONTENT)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(async () => {
    asked.length = 0
    for (const host of hosts.splice(0)) await host.close()
  })
  afterAll(async () => {
    server.close()
    await sshd.stop()
    rmSync(scratch, { recursive: true, force: true })
  })

  const warnings: string[] = []
  /** A target without these programs. */
  const open = async (...hidden: string[]) => {
    const machine = await SshHost.open(sshd.target, { log: silentLog, runtimeDir: sshd.runtimeDir })
    hosts.push(machine)
    const which = async (name: string) => (hidden.includes(name) ? undefined : machine.which(name))
    const target: Host = Object.assign(Object.create(machine), { which })
    const controller = new LocalHost({ cache: folder })
    const whole = splitHost({ folder, controller, target })
    const opts = minionDefaults().set('cachedir', folder).set('file_client', 'local')
    const log = (level: string, text: string): void => void (level === 'warning' && warnings.push(text))
    return { machine, files: new LocalFileClient(opts, controller, log, whole) }
  }
  const base = { saltenv: 'base', makedirs: true }

  test('is fetched by the target, and gone with the session', async () => {
    const { machine, files } = await open()
    const path = (await files.fetchUrl(`${url}/a/file?token=x`, base)) as string
    expect(readFileSync(path, 'utf8')).toBe(CONTENT)
    expect(path.startsWith(await machine.sessionFolder())).toBe(true)
    expect(asked).toEqual([{ path: '/a/file?token=x', agent: expect.stringMatching(/^curl/), login: '' }])
    expect(await files.cached(`${url}/a/file?token=x`, 'base')).toBe(path)
    await machine.close()
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })

  test('goes to its place at once, with the login of the URL', async () => {
    const { files } = await open()
    const dest = join(scratch, 'placed')
    const login = url.replace('//', '//me:se%22cret@')
    expect(await files.fetchUrl(`${login}/b`, { ...base, dest })).toBe(dest)
    expect(readFileSync(dest, 'utf8')).toBe(CONTENT)
    expect(asked[0]?.login).toBe(`Basic ${Buffer.from('me:se"cret').toString('base64')}`)
  })

  test.each(['curl', 'wget'])(
    'fails with the reason if it does not exist, and leaves the existing file: %s',
    async (name) => {
      if (!has(name)) return
      const { files } = await open(...['curl', 'wget'].filter((other) => other !== name))
      const dest = join(scratch, `kept-${name}`)
      expect(await files.fetchUrl(`${url}/c`, { ...base, dest })).toBe(dest)
      await expect(files.fetchUrl(`${url}/absent`, { ...base, dest })).rejects.toThrow(
        'Error: HTTP 404: Not Found reading /absent',
      )
      expect(readFileSync(dest, 'utf8')).toBe(CONTENT)
      expect(readdirSync(scratch).filter((entry) => entry.startsWith('.fetched'))).toEqual([])
      expect(asked.map(({ agent }) => agent.toLowerCase().startsWith(name))).toEqual([true, true])
    },
  )

  test('is fetched by the controller where the target has no program for it', async () => {
    const { files } = await open('curl', 'wget')
    const path = (await files.fetchUrl(`${url}/../../../../d?x=/../../e`, base)) as string
    expect(path.startsWith(`${folder}/extrn_files/base/`)).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe(CONTENT)
    expect(warnings.join()).toContain('The target has neither curl nor wget')
  })
})
