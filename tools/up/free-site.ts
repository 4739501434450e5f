// A separate site for tests, on two neighbouring free ports.
import { freePort } from '../../test/free-port.ts'
import { assertFreePorts } from './daemons.ts'
import { type Site, siteOf } from './site.ts'

export async function freeSite(root: string, folder: string): Promise<Site> {
  for (;;) {
    const site = siteOf(root, await freePort(), folder)
    const isFree = await assertFreePorts(site).then(
      () => true,
      () => false,
    )
    if (isFree) return site
  }
}
