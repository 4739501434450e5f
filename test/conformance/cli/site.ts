// The site that programs were recorded at: a master with one minion that answers (`m1`), and an accepted key of one that
// does not (`ghost`). It is made when the first case needs it, and ends with the process.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/mod.ts'
import { masterConfig, minionConfig } from '../../../src/config/mod.ts'
import { Master } from '../../../src/master/mod.ts'
import { Minion } from '../../../src/minion/mod.ts'
import { generateRsaKeys } from '../../../src/wire/mod.ts'
import { freePort } from '../../free-port.ts'

const FILES: Record<string, string> = {
  'ok.sls': 'a:\n  test.succeed_without_changes: []\n',
  'fail.sls': 'a:\n  test.fail_without_changes: []\n',
  'change.sls': 'a:\n  test.succeed_with_changes: []\n',
  'bad.sls': 'a: [\n',
  'invalid.sls': 'a: 1\n',
  'orch.sls': 'go:\n  salt.function:\n    - name: test.ping\n    - tgt: m1\n',
  'orchfail.sls': 'go:\n  salt.state:\n    - tgt: m1\n    - sls: fail\n',
}

export interface Site {
  root: string
  /** The configuration of the running master. */
  config: string
  /** The configuration of a master that does not run. */
  configOfNone: string
}

async function make(): Promise<Site> {
  const root = mkdtempSync(join(tmpdir(), 'brine-site-'))
  for (const folder of ['conf', 'stopped', 'srv', 'pillar', 'pki/minions']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, 'srv', name), text)
  writeFileSync(join(root, 'pki/minions/ghost'), (await generateRsaKeys()).publicPem)
  const [pub, ret] = [await freePort(), await freePort()]
  const master = {
    root_dir: root,
    pki_dir: join(root, 'pki'),
    interface: '127.0.0.1',
    publish_port: pub,
    ret_port: ret,
    auto_accept: true,
    gather_job_timeout: 3,
    file_roots: { base: [join(root, 'srv')] },
    pillar_roots: { base: [join(root, 'pillar')] },
  }
  const minion = { root_dir: join(root, 'm1'), id: 'm1', master: '127.0.0.1', master_port: ret, publish_port: pub }
  writeFileSync(join(root, 'conf/master'), JSON.stringify(master))
  writeFileSync(join(root, 'conf/minion'), JSON.stringify(minion))
  writeFileSync(join(root, 'stopped/master'), JSON.stringify({ ...master, root_dir: join(root, 'nowhere') }))
  const options = { log: silentLog }
  await Master.open(
    await masterConfig({ ...options, path: join(root, 'conf/master'), program: 'salt-master' }),
    silentLog,
  )
  const path = join(root, 'conf/minion')
  await new Minion(await minionConfig({ ...options, path, rememberId: true, program: 'salt-minion' }), silentLog).open()
  return { root, config: join(root, 'conf'), configOfNone: join(root, 'stopped') }
}

let made: Promise<Site> | undefined

export function site(): Promise<Site> {
  made ??= make()
  return made
}
