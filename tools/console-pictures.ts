// Takes the pictures of docs/console.md and the README anew: `npm run build && node --import tsx tools/console-pictures.ts`. They show a
// real master with three minions in Debian's Chromium.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ClientSite } from '../test/api/client-site.ts'
import { SITE, seed, Visitor } from '../test/console/console-site.ts'

const FOLDER = join(import.meta.dirname, '..', 'docs', 'pictures')

/** By file name: the address after `#`, and the appearance. */
const PICTURES: Readonly<Record<string, { address: string; scheme?: 'dark'; width?: number; height?: number }>> = {
  overview: { address: '/overview' },
  minions: { address: '/minions?columns=grains.roles,grains.datacenter' },
  minion: { address: '/minions/db1?tab=pillar' },
  run: { address: '/run?target=web*&function=state.apply' },
  job: { address: '/jobs/{jid}' },
  'job-dark': { address: '/jobs/{jid}', scheme: 'dark' },
  events: { address: '/events' },
  orchestration: { address: '/runs/{run}' },
  why: { address: '/why?what={jid}' },
  keys: { address: '/keys' },
  phone: { address: '/jobs/{jid}', width: 390, height: 844 },
}

const newest = (listed: string, skipped = 0): string =>
  Object.keys(JSON.parse(listed))
    .sort()
    .at(-1 - skipped) ?? ''

mkdirSync(FOLDER, { recursive: true })
const site = new ClientSite(SITE)
await site.open()
const visitor = await Visitor.open(site.url)
try {
  await seed(site)
  // the last state job is the dry run on two minions; the one before it ran on all
  const jid = newest(await site.run("salt-run jobs.list_jobs search_function='state.apply' --out=json"), 1)
  const run = newest(await site.run('salt-run state.orchestrate_runs --out=json'))
  for (const [name, { address, scheme = 'light', width = 1280, height = 800 }] of Object.entries(PICTURES)) {
    const page = await visitor.logIn('admin', { scheme, width, height })
    await visitor.go(page, address.replace('{jid}', jid).replace('{run}', run))
    // charts draw a moment after their data
    await page.waitForTimeout(500)
    await page.screenshot({ path: join(FOLDER, `${name}.png`) })
    await page.context().close()
    process.stdout.write(`docs/pictures/${name}.png\n`)
  }
} finally {
  await visitor.close()
  await site.close()
}
