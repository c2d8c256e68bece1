/** The keys of the simulation. No encoding changes the canary, and it may stand nowhere. */
export const canary = 'canary-7d1f'
/** Two keys of the owner: runs beside each other are told apart by them. */
export const ownKeys = [`${canary}/+"one"`, `${canary}/+"two"`] as const
export const wrongKey = `${canary}-wrong`
export const otherKey = `${canary}-other`
