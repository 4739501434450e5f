// Options, grains and pillar for templates. Salt wraps them in its own classes, which error texts name. An SLS file
// that changes its `pillar` changes a copy, which later SLS files see; files that functions render have the pillar of
// functions instead, so their changes are visible to `pillar.get`.
import { type Dict, deepCopy, NamedDict, nameClass } from '../data/mod.ts'

const MODULE = 'salt.utils.optsdict'

const pillars = new WeakMap<Dict, NamedDict>()

export function pillarForTemplates(pillar: Dict): Dict {
  if (pillar instanceof NamedDict) return pillar
  let wrapped = pillars.get(pillar)
  if (!wrapped) {
    wrapped = new NamedDict(MODULE, 'DictProxy', deepCopy(pillar))
    pillars.set(pillar, wrapped)
  }
  return wrapped
}

/** After this, templates see the pillar as it is now. */
export function renewPillarForTemplates(pillar: Dict): void {
  pillars.delete(pillar)
}

/** Grains are the same dict for templates and functions; an error about a missing one names Salt's class. */
export function nameGrains(grains: Dict): void {
  nameClass(grains, `${MODULE}.DictProxy`)
}

/** Return the pillar of functions itself, for the files that they render. */
export function pillarForFiles(pillar: Dict): Dict {
  if (!(pillar instanceof NamedDict)) nameClass(pillar, `${MODULE}.DictProxy`)
  return pillar
}

const ofSls = new WeakMap<Dict, NamedDict>()
const ofFiles = new WeakMap<Dict, NamedDict>()

/** Options are copied when the first template uses them, once for SLS files and once for other files. */
export function optsForTemplates(opts: Dict, pillar: Dict, forFiles: boolean): Dict {
  if (opts instanceof NamedDict) return opts
  const known = forFiles ? ofFiles : ofSls
  let wrapped = known.get(opts)
  if (!wrapped) {
    wrapped = new NamedDict(MODULE, 'OptsDict')
    for (const [name, value] of opts) {
      wrapped.set(name, value instanceof Map ? new NamedDict(MODULE, 'DictProxy', value) : value)
    }
    if (opts.has('pillar')) wrapped.set('pillar', pillar)
    known.set(opts, wrapped)
  }
  return wrapped
}
