// Parts of requests and answers that all of EC2 shares: filters, tags, names of machines and networks.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import type { Parameters } from './form.ts'

/** Return filters as parameters: each has a name and one or more values. */
export const filtersOf = (filters: Iterable<readonly [Value, Value | readonly string[]]>): Parameters => ({
  Filter: [...filters].map(([name, value]) => ({ Name: str(name), Value: textsOf(value) })),
})

const textsOf = (value: Value | readonly string[]): string[] =>
  Array.isArray(value)
    ? value.map((item) => str(item as Value))
    : [typeof value === 'boolean' ? String(value) : str(value as Value)]

/** Return filters for tags. */
export const tagFilters = (tags: Dict): [Value, Value][] =>
  [...tags].map(([name, value]) => [`tag:${str(name)}`, value])

/** Return tags as parameters. */
export const tagsOf = (tags: Dict): Parameters[] =>
  [...tags].map(([name, value]) => ({ Key: str(name), Value: value === null ? '' : str(value) }))

/** Return a disk of a machine as parameters. Whether it is deleted with the machine is the given default unless the disk says. */
export function deviceOf(DeviceName: string, facts: Dict, isDeleted: boolean | null): Parameters {
  const text = (key: string): string | null => (truthy(facts.get(key) ?? null) ? str(facts.get(key)!) : null)
  const flag = (key: string, otherwise: boolean | null): boolean | null =>
    (facts.get(key) ?? null) === null ? otherwise : truthy(facts.get(key)!)
  const name = { DeviceName, VirtualName: text('ephemeral_name') }
  if (flag('no_device', false)) return { ...name, NoDevice: '' }
  if (text('ephemeral_name')) return name
  const Ebs = {
    SnapshotId: text('snapshot_id'),
    VolumeSize: text('size'),
    VolumeType: text('volume_type'),
    Iops: text('iops'),
    Encrypted: flag('encrypted', null),
    DeleteOnTermination: flag('delete_on_termination', isDeleted),
  }
  return { ...name, Ebs }
}

/** The token of further pages, in all lists of EC2. */
export const EC2_PAGES = { at: 'nextToken', into: 'NextToken' }
