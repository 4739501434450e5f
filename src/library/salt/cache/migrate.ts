// Moving the data cache from one driver to another.
import { failure } from '../../../data/mod.ts'
import { isOwnBank, type MasterContext, type SharedBanks } from '../../../sdk/mod.ts'

interface Migration {
  from: string
  to: string
  /** The only bank to copy, with its sub-banks. */
  only: string | null
  /** Whether values are only counted. */
  isTrial: boolean
}

/** Number of values per batch. */
const BATCH = 200

async function banksOf(ctx: MasterContext, driver: string): Promise<SharedBanks> {
  const banks = await ctx.cacheBanks(driver)
  if (!banks) throw failure(`There is no driver '${driver}' of the cache`)
  return banks
}

async function copied(source: SharedBanks, target: SharedBanks, bank: string, isTrial: boolean): Promise<number> {
  const keys = [...(await source.times(bank)).keys()]
  if (isTrial) return keys.length
  for (let start = 0; start < keys.length; start += BATCH) {
    const values = await source.fetch(bank, keys.slice(start, start + BATCH))
    await target.apply([...values].map(([key, value]) => ({ bank, key, value })))
  }
  return keys.length
}

/** Copy all values, and return a report. */
export async function migrate(ctx: MasterContext, { from, to, only, isTrial }: Migration): Promise<string> {
  if (from === to) throw failure(`Both drivers are '${from}'; name another one with src_driver or dst_driver`)
  const source = await banksOf(ctx, from)
  const target = await banksOf(ctx, to)
  try {
    const all = (await source.banks()).filter((bank) => !isOwnBank(bank)).sort()
    const banks = only === null ? all : all.filter((bank) => bank === only || bank.startsWith(`${only}/`))
    const counts: [string, number][] = []
    for (const bank of banks) counts.push([bank, await copied(source, target, bank, isTrial)])
    const total = counts.reduce((sum, [, count]) => sum + count, 0)
    return [
      `${isTrial ? 'Would migrate' : 'Migrated'} ${total} entr${total === 1 ? 'y' : 'ies'} from '${from}' → '${to}'`,
      ...(counts.length > 0 ? ['  Banks:', ...counts.map(([bank, count]) => `    ${bank}: ${count}`)] : []),
      ...(isTrial ? ['  (dry-run — no data written)'] : []),
    ].join('\n')
  } finally {
    source.close()
    target.close()
  }
}
