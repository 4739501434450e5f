// Takes pictures of views for developers: `node --import tsx test/console/look.ts FOLDER ADDRESS…`, where an address is
// the part behind `#`, such as `/minions?q=web`; `{jid}` in it means the last state job, `{run}` the last
// orchestration. Prints axe's findings about each.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ClientSite } from '../api/client-site.ts'
import { axe, SITE, seed, Visitor } from './console-site.ts'

const [folder = 'shots', ...addresses] = process.argv.slice(2)
const LOOKS = { light: {}, dark: { scheme: 'dark' }, phone: { width: 390, height: 844 } } as const

mkdirSync(folder, { recursive: true })
const site = new ClientSite(SITE)
await site.open()
const visitor = await Visitor.open(site.url)
try {
  await seed(site)
  const jobs = JSON.parse(await site.run('salt-run jobs.list_jobs search_function=state.apply --out=json'))
  const jid = Object.keys(jobs).sort().at(-2) ?? ''
  const [run = ''] = Object.keys(JSON.parse(await site.run('salt-run state.orchestrate_runs --out=json')))
  for (const [look, options] of Object.entries(LOOKS)) {
    const page = await visitor.logIn('admin', options)
    for (const address of addresses) {
      const hash = address.replace('{jid}', jid).replace('{run}', run)
      await visitor.go(page, hash)
      const name = address.replace(/[^\w]+/g, '-').replace(/^-/, '') || 'overview'
      await page.waitForTimeout(300)
      await page.screenshot({ path: join(folder, `${name}-${look}.png`) })
      for (const problem of await axe(page)) process.stdout.write(`${address} (${look}): ${problem}\n`)
    }
  }
  for (const complaint of visitor.complaints) process.stdout.write(`${complaint}\n`)
} finally {
  await visitor.close()
  await site.close()
}
