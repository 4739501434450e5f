// Ranks the sections of the documents for a query. Entries are [heading, title of the page, address, text]; see build.ts.
// A classic script without modules, because browsers load no modules from file: addresses.
globalThis.brineSearch = function brineSearch(index, query, limit) {
  const whole = query.trim().toLowerCase()
  const words = whole.split(/\s+/).filter(Boolean)
  if (words.length === 0) return []

  function scoreOfWord(word, heading, page, text) {
    if (heading === word) return 120
    if (heading.startsWith(word)) return 60
    if (heading.includes(word)) return 40
    if (page === word) return 30
    if (page.includes(word)) return 15
    return text.includes(word) ? 5 : 0
  }

  const found = []
  for (const entry of index) {
    const [heading, page, address, text] = entry
    const [h, p, t] = [heading.toLowerCase(), page.toLowerCase(), text.toLowerCase()]
    let score = 0
    for (const word of words) {
      const part = scoreOfWord(word, h, p, t)
      if (part === 0) {
        score = 0
        break
      }
      score += part
    }
    if (score === 0) continue
    if (h === whole) score += 400
    else if (h.startsWith(whole)) score += 60
    // states before modules of the same name; guides before the history of the project
    if (address.startsWith('reference/states/')) score += 4
    if (address.startsWith('project/') || address.startsWith('adr/')) score -= 4
    if (!address.includes('/')) score += 8
    if (!address.includes('#')) score += 3
    found.push([score - heading.length / 100, entry])
  }
  found.sort((a, b) => b[0] - a[0])
  return found.slice(0, limit).map(([, entry]) => entry)
}
