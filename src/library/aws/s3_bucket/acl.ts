// Access lists of buckets: expansion of a state's short forms, and comparison with AWS's lists.
import { type Dict, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import { unordered } from '../common/unordered.ts'

const dict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))

const group = (path: string): Dict => dict({ Type: 'Group', URI: `http://acs.amazonaws.com/groups/${path}` })

const grant = (grantee: Dict, permission: string): Dict => dict({ Grantee: grantee, Permission: permission })

/** The account of EC2 that reads images of machines. */
const IMAGE_READER = dict({
  Type: 'CanonicalUser',
  DisplayName: 'za-team',
  ID: '6aa5a366c34c1cbe25dc49211496e913e0351eb0e8c37aa3477e40942ec6b97c',
})

const NAMED: Readonly<Record<string, Dict[]>> = {
  'public-read': [grant(group('global/AllUsers'), 'READ')],
  'public-read-write': [grant(group('global/AllUsers'), 'READ'), grant(group('global/AllUsers'), 'WRITE')],
  'aws-exec-read': [grant(IMAGE_READER, 'READ')],
  'authenticated-read': [grant(group('global/AuthenticatedUsers'), 'READ')],
  'log-delivery-write': [grant(group('s3/LogDelivery'), 'WRITE'), grant(group('s3/LogDelivery'), 'READ_ACP')],
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  GrantFullControl: 'FULL_CONTROL',
  GrantRead: 'READ',
  GrantReadACP: 'READ_ACP',
  GrantWrite: 'WRITE',
  GrantWriteACP: 'WRITE_ACP',
}

function granteeOf(word: string): Dict {
  const at = word.indexOf('=')
  if (at < 0) throw misuse(`'${word}' names nobody: id=, uri= or emailAddress= is missing`)
  const value = word.slice(at + 1).replace(/^"(.*)"$/, '$1')
  const kind = word.slice(0, at).trim()
  if (kind === 'uri') return dict({ Type: 'Group', URI: value })
  return kind === 'id' ? dict({ Type: 'CanonicalUser', ID: value }) : new Map()
}

/** Return the access list for the parameters of a state. */
export function wantedAcl(wanted: Dict, owner: Dict): Dict {
  const policy = wanted.get('AccessControlPolicy') ?? null
  if (isDict(policy)) return policy
  const grants = [...(NAMED[str(wanted.get('ACL') ?? '')] ?? [])]
  for (const [name, permission] of Object.entries(PERMISSIONS)) {
    const words = wanted.get(name) ?? null
    if (words !== null)
      grants.push(
        ...str(words)
          .split(',')
          .map((word) => grant(granteeOf(word), permission)),
      )
  }
  if (grants.length === 0) grants.push(grant(new Map([...owner, ['Type', 'CanonicalUser']]), 'FULL_CONTROL'))
  return dict({ Grants: grants, Owner: owner })
}

/** Compare access lists. Names of accounts do not count, nor does the right of the owner that AWS adds to a named list. */
export function isSameAcl(current: Dict, wanted: Dict, isNamed: boolean): boolean {
  const ownerId = (acl: Dict): Value => (acl.get('Owner') as Dict | undefined)?.get('ID') ?? null
  const grants = (acl: Dict): string[] =>
    ((acl.get('Grants') as Dict[] | undefined) ?? [])
      .map((one) => ({ who: one.get('Grantee') as Dict, what: one.get('Permission') ?? null }))
      .filter(({ who, what }) => !(isNamed && what === 'FULL_CONTROL' && who.get('ID') === ownerId(acl)))
      .map(({ who, what }) => {
        const named = [...who].filter(([key]) => key !== 'DisplayName')
        return unordered([new Map(named), what])
      })
      .sort()
  return ownerId(current) === ownerId(wanted) && grants(current).join() === grants(wanted).join()
}
