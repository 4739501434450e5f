// All images of a location. Azure has no list of them: publishers, offers, skus and versions are queried in turn, many
// at the same time.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import type { Subscription } from './subscription.ts'

const AT_ONCE = 24

/** Return the names of a list of the interface. */
async function names(subscription: Subscription, path: string): Promise<string[]> {
  return (await subscription.plainList(path)).map((row) => str(row.get('name') ?? ''))
}

/** Return images by `publisher|offer|sku|version`. */
export async function allImages(subscription: Subscription, location: string): Promise<Dict> {
  const base = `${subscription.root}/providers/Microsoft.Compute/locations/${location}/publishers`
  const found: Dict = new Map()
  const publishers = await names(subscription, base)
  await eachOf(publishers, async (publisher) => {
    for (const [name, image] of await ofPublisher(subscription, base, publisher)) found.set(name, image)
  })
  return new Map([...found].sort(([a], [b]) => (str(a) < str(b) ? -1 : 1)))
}

async function ofPublisher(subscription: Subscription, base: string, publisher: string): Promise<Dict> {
  const found: Dict = new Map()
  const offers = `${base}/${encodeURIComponent(publisher)}/artifacttypes/vmimage/offers`
  for (const offer of await names(subscription, offers)) {
    const skus = `${offers}/${encodeURIComponent(offer)}/skus`
    for (const sku of await names(subscription, skus)) {
      for (const version of await names(subscription, `${skus}/${encodeURIComponent(sku)}/versions`)) {
        const image = Object.entries({ publisher, offer, sku, version })
        found.set([publisher, offer, sku, version].join('|'), new Map<Value, Value>(image))
      }
    }
  }
  return found
}

async function eachOf(items: readonly string[], work: (item: string) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
