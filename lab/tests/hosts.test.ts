// The lab itself: hosts boot, know each other, can be cut off, and keep their disks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host } from '../host.ts'
import { Lab } from '../lab.ts'
import { STOCK } from '../stock.ts'

let lab: Lab
let web: Host
let db: Host

beforeAll(async () => {
  lab = await Lab.open({ stock: STOCK })
  ;[web, db] = (await lab.boot('web01', 'db01')) as [Host, Host]
})

afterAll(() => lab?.close())

const reaches = async (from: Host, to: Host): Promise<boolean> => {
  const connect = `timeout 2 bash -c 'exec 3<>/dev/tcp/${to.name}/22 && head -c 7 <&3'`
  return (await from.attempt(['sh', '-c', connect])).stdout === 'SSH-2.0'
}

describe('a host', () => {
  it('runs systemd with nothing failed', async () => {
    expect((await web.run(['systemctl', 'is-system-running'])).trim()).toBe('running')
    expect((await web.run(['hostname', '-f'])).trim()).toBe('web01.lab')
  })

  it('has our programs', async () => {
    const answer = JSON.parse(await web.run(['salt-call', '--local', '--out=json', 'grains.item', 'init', 'host']))
    expect(answer).toEqual({ local: { init: 'systemd', host: 'web01' } })
  })

  it('can be cut off and reconnected', async () => {
    await expect.poll(() => reaches(web, db)).toBe(true)
    await db.cutOff()
    expect(await reaches(web, db)).toBe(false)
    await db.reconnect()
    await expect.poll(() => reaches(web, db)).toBe(true)
  })

  it('stops a service without touching that of another host', async () => {
    await web.run(['systemctl', 'stop', 'ssh'])
    expect(await reaches(db, web)).toBe(false)
    await expect.poll(() => reaches(web, db)).toBe(true)
    await web.run(['systemctl', 'start', 'ssh'])
    await expect.poll(() => reaches(db, web)).toBe(true)
  })

  it('keeps its disk over a shutdown and a power cut', async () => {
    db.write('/srv/note', 'kept', 0o600)
    await db.stop()
    expect(db.isRunning).toBe(false)
    await db.start()
    expect(db.read('/srv/note')).toBe('kept')
    await db.crash()
    await db.start()
    expect(db.read('/srv/note')).toBe('kept')
    await expect.poll(() => reaches(web, db)).toBe(true)
  })

  it('reports a failing command with its last words', async () => {
    await expect(web.run(['ls', '/nowhere'])).rejects.toThrow(/web01: `ls \/nowhere` exited with 2:\n.*No such file/)
  })
})
