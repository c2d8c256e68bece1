/** Readers for PGlite that leave every value as Postgres writes it. */
const types = [16, 20, 21, 23, 25, 26, 114, 700, 701, 1043, 1114, 1184, 1700, 3802]

export const asText = Object.fromEntries(types.map((type) => [type, (text: string) => text]))
