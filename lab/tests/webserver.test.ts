// A web server from its SLS file: a version by pattern, templated configuration, and a reload when it changes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host } from '../host.ts'
import { Lab } from '../lab.ts'
import { apply, dryRun, install, outcomes } from '../states.ts'
import { STOCK } from '../stock.ts'

let lab: Lab
let web: Host

beforeAll(async () => {
  lab = await Lab.open({ stock: STOCK })
  ;[web] = (await lab.boot('web01')) as [Host]
  install(web, 'webserver')
})

afterAll(() => lab?.close())

const ALL_CHANGE = {
  'nginx pkg.installed': 'changes',
  '/etc/nginx/nginx.conf file.managed': 'changes',
  '/etc/nginx/sites-enabled/default file.managed': 'changes',
  'nginx service.running': 'changes',
}

const NONE_CHANGES = Object.fromEntries(Object.keys(ALL_CHANGE).map((id) => [id, 'clean']))

const ask = (path: string) =>
  web.run(['node', '-e', `fetch('http://localhost${path}').then(async (r) => console.log(await r.text()))`])
const workers = async () => (await web.run(['pgrep', '-f', 'nginx: worker'])).trim().split('\n')
const master = async () => (await web.run(['cat', '/run/nginx.pid'])).trim()

describe('the web server', () => {
  it('is foretold without being touched', async () => {
    const { foretold, touched } = await dryRun(web, 'webserver')
    expect(foretold).toEqual(ALL_CHANGE)
    expect(touched).toBe(0)
  })

  it('is installed in the wanted version, configured and started', async () => {
    const results = await apply(web, 'webserver')
    expect(outcomes(results)).toEqual(ALL_CHANGE)
    expect(results['nginx pkg.installed']!.changes).toMatchObject({ nginx: { old: '', new: '1.20.2-1' } })
    expect((await web.run(['systemctl', 'is-active', 'nginx'])).trim()).toBe('active')
    expect((await web.run(['systemctl', 'is-enabled', 'nginx'])).trim()).toBe('enabled')
    // the package starts it, and a worker of then may answer for a moment longer
    await expect.poll(() => ask('/name')).toBe('shop.example.com\n\n')
  })

  it('stays as it is in a second run, which a dry run knows', async () => {
    expect((await dryRun(web, 'webserver')).foretold).toEqual(NONE_CHANGES)
    expect(outcomes(await apply(web, 'webserver'))).toEqual(NONE_CHANGES)
  })

  it('is reloaded, not restarted, when its configuration changes', async () => {
    const [before, old] = [await master(), await workers()]
    web.write('/srv/pillar/web.sls', 'nginx:\n  server_name: mall.example.com\n  app_port: 8080\n')
    const expected = {
      ...NONE_CHANGES,
      '/etc/nginx/sites-enabled/default file.managed': 'changes',
      'nginx service.running': 'changes',
    }
    const { foretold, touched } = await dryRun(web, 'webserver')
    expect([foretold, touched]).toEqual([expected, 0])
    expect(outcomes(await apply(web, 'webserver'))).toEqual(expected)
    // a worker of before may answer for a moment longer
    await expect.poll(() => ask('/name')).toBe('mall.example.com\n\n')
    expect(await master()).toBe(before)
    await expect.poll(workers).not.toEqual(old)
  })

  it('is started again when it has been stopped', async () => {
    await web.run(['systemctl', 'stop', 'nginx'])
    expect(outcomes(await apply(web, 'webserver'))).toEqual({ ...NONE_CHANGES, 'nginx service.running': 'changes' })
    expect((await web.run(['systemctl', 'is-active', 'nginx'])).trim()).toBe('active')
  })
})
