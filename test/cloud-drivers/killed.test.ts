// salt-cloud that is killed while a provider makes its machine, and the next one, in processes of their own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startListener } from './listener.ts'
import { OpenStackService, PASSWORD } from './openstack-service.ts'
import { ProxmoxService, TOKEN, USER } from './proxmox-service.ts'

const listener = startListener()
let root: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-killed-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Write the configuration of a provider with one profile. */
function configure(provider: object, profile: object): string {
  const folder = mkdtempSync(join(root, 'site-'))
  const write = (name: string, value: object): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), JSON.stringify(value))
  }
  write('master', { root_dir: join(folder, 'root') })
  write('cloud', { cachedir: join(folder, 'cache') })
  write('cloud.providers.d/own.conf', { own: provider })
  write('cloud.profiles.d/own.conf', { web: { provider: 'own', deploy: false, ...profile } })
  return folder
}

interface Running {
  child: ChildProcess
  ended: Promise<{ status: number | null; text: string }>
}

function saltCloud(folder: string, ...words: string[]): Running {
  const program = join(import.meta.dirname, '..', '..', 'src', 'cli', 'salt-cloud.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', program, '-c', folder, ...words])
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => void (text += piece))
  return { child, ended: once(child, 'close').then(([status]) => ({ status, text })) }
}

/** Kill salt-cloud once the provider makes the machine, and return what the next one says. */
async function killAndAsk(folder: string, isMaking: () => boolean): Promise<{ status: number | null; text: string }> {
  const { child, ended } = saltCloud(folder, '-p', 'web', 'web1')
  await until('the provider makes the machine', isMaking)
  child.kill('SIGKILL')
  await ended
  // a new version of the record may lie beside it, half written
  expect(readdirSync(join(folder, 'cache', 'creating'))).toContain('web1.p')
  const next = await saltCloud(folder, '-Q').ended
  expect(readdirSync(join(folder, 'cache', 'creating'))).toEqual([])
  return next
}

test('proxmox: the next salt-cloud ends the task of the killed one and removes the machine', async () => {
  const service = new ProxmoxService()
  listener.provider = service.answer
  service.endless.add('vzcreate')
  const folder = configure(
    { driver: 'proxmox', url: listener.url, user: USER, token_name: 'cloud', token_value: TOKEN },
    { host: 'pve1', image: 'local:vztmpl/debian-12.tar.zst' },
  )
  const { status, text } = await killAndAsk(folder, () =>
    [...service.tasks.keys()].some((one) => one.includes('vzcreate')),
  )
  expect(text).toContain('An earlier run was ended while it created web1')
  expect(status).toBe(0)
  expect([...service.guests.keys()]).toEqual(['9000'])
})

test('openstack: the next salt-cloud removes the server of the killed one and its volume', async () => {
  const service = new OpenStackService(listener)
  listener.provider = service.answer
  service.isSlow = true
  const auth = { auth_url: `${listener.url}/identity`, username: 'demo', password: PASSWORD, project_name: 'demo' }
  const folder = configure(
    { driver: 'openstack', region_name: 'RegionOne', auth },
    { image: 'debian-12', size: 'm1.small', network: 'inside', boot_from_volume: true },
  )
  const { status, text } = await killAndAsk(folder, () => service.servers.size > 0)
  expect(text).toContain('An earlier run was ended while it created web1')
  expect(text).not.toContain(PASSWORD)
  expect(status).toBe(0)
  expect([service.servers.size, service.volumes.size]).toEqual([0, 0])
})
