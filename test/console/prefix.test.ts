// The console behind a proxy with a path prefix: a real nginx, which buffers by default.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { hasBrowser, SITE, Visitor } from './console-site.ts'

const NGINX = '/usr/sbin/nginx'
const hasNginx = existsSync(NGINX)

if (!hasNginx) process.stderr.write('There is no nginx (Debian package nginx-light): its tests are skipped\n')

const { web1 } = SITE.minions

class PrefixProxy {
  private readonly folder = mkdtempSync(join(tmpdir(), 'brine-nginx-'))
  private readonly child: ChildProcess
  readonly url: string

  /** Pass `/salt/` on to an address, as docs/api.md describes it. */
  static async open(target: string): Promise<PrefixProxy> {
    const proxy = new PrefixProxy(await freePort(), target)
    await until('nginx answers', () =>
      fetch(proxy.url).then(
        () => true,
        () => false,
      ),
    )
    return proxy
  }

  private constructor(port: number, target: string) {
    this.url = `http://127.0.0.1:${port}`
    const folder = (name: string): string => {
      mkdirSync(join(this.folder, name))
      return join(this.folder, name)
    }
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder(name)};`,
    )
    const config = join(this.folder, 'nginx.conf')
    writeFileSync(
      config,
      [
        `daemon off; master_process off; pid ${join(this.folder, 'pid')}; error_log stderr crit;`,
        'events {}',
        `http { access_log off; ${temporary.join(' ')}`,
        `server { listen 127.0.0.1:${port};`,
        `location /salt/ { proxy_pass ${target}/; proxy_http_version 1.1; proxy_buffering off;`,
        'proxy_set_header Host $http_host; proxy_read_timeout 1h; } } }',
        '',
      ].join('\n'),
    )
    this.child = spawn(NGINX, ['-p', this.folder, '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] })
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.child.once('exit', done))
    this.child.kill()
    await ended
    rmSync(this.folder, { recursive: true, force: true })
  }
}

describe.skipIf(!hasBrowser || !hasNginx).each([
  ['the root of the API', ''],
  ['an API with root_prefix', '/api'],
])('The console behind nginx, at /salt/, before %s', (_, prefix) => {
  const site = new ClientSite({
    ...SITE,
    minions: { web1 },
    waiting: [],
    api: prefix === '' ? {} : { root_prefix: prefix },
  })
  let proxy: PrefixProxy
  let visitor: Visitor

  beforeAll(async () => {
    await site.open()
    proxy = await PrefixProxy.open(`${site.url}${prefix}`)
    visitor = await Visitor.open(`${proxy.url}/salt`)
  })

  afterAll(async () => {
    await visitor?.close()
    await proxy?.close()
    await site.close()
  })

  it('works, and events come without a delay', async () => {
    const page = await visitor.logIn()
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await visitor.go(page, '/keys')
    await page.getByRole('row', { name: /web1.*accepted/ }).waitFor()
    await site.run('salt-key -y -d web1')
    await page.getByRole('row', { name: /web1.*accepted/ }).waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${proxy.url}/salt/console/#/keys`)
    await page.reload()
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    await visitor.go(page, '/settings?tab=health')
    const manual = await page.getByRole('link', { name: /docs$/ }).getAttribute('href')
    expect(manual).toBe(`${proxy.url}/salt/docs`)
    expect((await page.request.get(manual!)).status()).toBe(200)
    // a link without the slash at its end leads on
    await page.goto(`${proxy.url}/salt/console`)
    await page.locator('nav.side').waitFor()
    expect(visitor.complaints).toEqual([])
  })
})
