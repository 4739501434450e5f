// States that run commands only when there is something to do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host } from '../host.ts'
import { Lab } from '../lab.ts'
import { apply, dryRun, install, outcomes } from '../states.ts'
import { STOCK } from '../stock.ts'

let lab: Lab
let host: Host

const PREPARE = `
apt-get -q update && apt-get -q -y install git rsync
mkdir -p /opt/app /dest /tmp/app && echo 1 > /tmp/app/version && tar -czf /tmp/app.tar.gz -C /tmp/app version
git config --global user.email lab@example.com && git config --global user.name Lab
git init -q /srv/repository && cd /srv/repository && echo one > data && git add data && git commit -qm one
`

beforeAll(async () => {
  lab = await Lab.open({ stock: STOCK })
  ;[host] = (await lab.boot('app01')) as [Host]
  install(host, 'optimisation')
  await host.run(['sh', '-ec', PREPARE])
})

afterAll(() => lab?.close())

const SLS = 'sources,optimisation'

describe('states that save work', () => {
  it('are foretold without being carried out', async () => {
    const { foretold, touched } = await dryRun(host, SLS)
    expect(foretold).toEqual({
      'source_repository git.latest': 'changes',
      'extract_archive cmd.run': 'changes',
      'create_marker file.touch': 'changes',
      'sync_large_directory cmd.run': 'changes',
    })
    expect(touched).toBe(0)
  })

  it('extract an archive and copy a directory the first time', async () => {
    expect(new Set(Object.values(outcomes(await apply(host, SLS))))).toEqual(new Set(['changes']))
    expect(host.read('/opt/app/version')).toBe('1\n')
    expect(host.read('/dest/largedir/data')).toBe('one\n')
  })

  it('do neither the second time', async () => {
    expect(outcomes(await apply(host, SLS))).toEqual({
      'source_repository git.latest': 'clean',
      'extract_archive cmd.run': 'clean',
      'create_marker file.touch': 'changes',
      'sync_large_directory cmd.run': 'clean',
    })
  })

  it('copy the directory again when its source has changed', async () => {
    await host.run(['sh', '-ec', 'cd /srv/repository && echo another > data && git commit -qam another'])
    expect(outcomes(await apply(host, SLS))).toMatchObject({
      'source_repository git.latest': 'changes',
      'sync_large_directory cmd.run': 'changes',
    })
    // rsync looks at sizes and whole seconds
    expect(host.read('/dest/largedir/data')).toBe('another\n')
  })
})
