/** How a command finds its PostgreSQL server. */
export const environmentHelp = `
The server is the one that PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE name. The connection is encrypted and its
certificate verified, except to this machine; PGSSLROOTCERT names the authority, and PGSSLMODE=disable turns both off.
Nothing of this is kept.`;
