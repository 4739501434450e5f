// A network API of a Salt extension beside a master: it serves, the master judges its callers, and it ends with its program.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OwnNetapis, ownMaster } from '../../src/api/mod.ts'
import type { Log } from '../../src/base/mod.ts'
import { NETWORK_API, PackageFolder } from '../extensions/packages.ts'
import { freePort } from '../free-port.ts'
import { TestSite } from '../integration/site.ts'
import { until } from '../until.ts'

let packages: PackageFolder
let site: TestSite
let netapis: OwnNetapis | undefined
let port: number
const lines: string[] = []
const log: Log = (level, text) => void lines.push(`${level}: ${text}`)

beforeEach(async () => {
  packages = new PackageFolder()
  packages.use()
  port = await freePort()
  lines.splice(0)
})
afterEach(async () => {
  await netapis?.close()
  netapis = undefined
  await site.close()
  packages.remove()
})

async function open(more: Record<string, unknown>): Promise<void> {
  site = await TestSite.open()
  const rights = { auto: { admin: ['@runner'], dev: ['test.ping'] } }
  const master = await site.master('master', '127.0.0.1', {
    ...{ external_auth: rights, netapi_enable_clients: ['runner'], kindapi: { port }, ...more },
  })
  netapis = await OwnNetapis.open(ownMaster(master.opened), log)
}

async function ask(low: object): Promise<{ status: number; said: unknown }> {
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify(low) })
  return { status: response.status, said: ((await response.json()) as { return: unknown }).return }
}

const serves = (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  )

describe('a network API of an extension', () => {
  test('serves callers with the rights that the master gives them', async () => {
    packages.install('served', { 'netapi/kindapi.py': NETWORK_API })
    await open({})
    await until('the API serves', serves)
    const low = { client: 'runner', fun: 'test.arg', kwarg: { a: 1 }, eauth: 'auto', password: 'x' }
    const { status, said } = await ask({ ...low, username: 'admin' })
    expect([status, said]).toMatchObject([200, { kwargs: { a: 1 } }])
    expect((await ask({ ...low, username: 'dev' })).status).toBe(400)
    expect(await ask({ client: 'runner', fun: 'test.arg' })).toEqual({
      status: 400,
      said: 'No authentication credentials given',
    })
    expect((await ask({ ...low, client: 'wheel', username: 'admin' })).said).toContain("Client disabled: 'wheel'")
    await netapis!.close()
    netapis = undefined
    await until('the API has ended', async () => !(await serves()))
  })

  test('that is not configured does not start, and a failing one is reported', async () => {
    packages.install('served', {
      'netapi/kindapi.py': NETWORK_API,
      'netapi/bad.py': 'def start():\n    raise OSError("no port")\n',
    })
    await open({ kindapi: undefined })
    await until('the failure is named', () =>
      lines.some((line) => line.includes('The network API bad failed: no port')),
    )
    expect(lines.join('\n')).not.toContain('kindapi starts')
  })
})
