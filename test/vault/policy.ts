// Policies as Vault has them: rules for paths, of which the most exact one that fits counts in each policy, and which add up.

export type Capability = 'create' | 'read' | 'update' | 'patch' | 'delete' | 'list' | 'sudo' | 'deny'

interface Rule {
  path: string
  capabilities: Set<string>
}

const OLD_WORDS: Readonly<Record<string, readonly string[]>> = {
  deny: ['deny'],
  read: ['read', 'list'],
  write: ['create', 'read', 'update', 'delete', 'list'],
  sudo: ['create', 'read', 'update', 'delete', 'list', 'sudo'],
}

function parsePolicy(text: string): Rule[] {
  const rules: Rule[] = []
  for (const [, path, body] of text.matchAll(/path\s+"([^"]+)"\s*\{([^}]*)\}/g)) {
    const listed = /capabilities\s*=\s*\[([^\]]*)\]/.exec(body!)?.[1] ?? ''
    const old = /policy\s*=\s*"(\w+)"/.exec(body!)?.[1]
    const words = [...listed.matchAll(/"(\w+)"/g)].map(([, word]) => word!)
    rules.push({
      path: path!.replace(/^\//, ''),
      capabilities: new Set([...words, ...(old ? (OLD_WORDS[old] ?? []) : [])]),
    })
  }
  return rules
}

function fits(pattern: string, path: string): boolean {
  const isPrefix = pattern.endsWith('*')
  const wanted = (isPrefix ? pattern.slice(0, -1) : pattern).split('/')
  const given = path.split('/')
  if (!isPrefix && wanted.length !== given.length) return false
  return wanted.every((part, index) => {
    const other = given[index]
    if (other === undefined) return false
    if (isPrefix && index === wanted.length - 1) return given.slice(index).join('/').startsWith(part)
    return part === '+' || part === other
  })
}

/** Whether policies allow something at a path. */
export function allows(policies: readonly string[], path: string, capability: Capability): boolean {
  const granted = new Set<string>()
  const fitting = policies.flatMap(parsePolicy).filter((rule) => fits(rule.path, path))
  const exact = Math.max(
    ...fitting.map((rule) => (rule.path.endsWith('*') ? rule.path.length - 1 : 10_000 + rule.path.length)),
  )
  for (const rule of fitting) {
    const weight = rule.path.endsWith('*') ? rule.path.length - 1 : 10_000 + rule.path.length
    if (weight === exact) for (const word of rule.capabilities) granted.add(word)
  }
  return !granted.has('deny') && granted.has(capability)
}

/** The policy that every token has unless it is made without it. */
export const DEFAULT_POLICY = `
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/renew-self" { capabilities = ["update"] }
path "auth/token/revoke-self" { capabilities = ["update"] }
path "sys/capabilities-self" { capabilities = ["update"] }
path "sys/wrapping/wrap" { capabilities = ["update"] }
path "sys/wrapping/lookup" { capabilities = ["update"] }
path "sys/wrapping/unwrap" { capabilities = ["update"] }
path "sys/leases/renew" { capabilities = ["update"] }
path "sys/renew" { capabilities = ["update"] }
`
