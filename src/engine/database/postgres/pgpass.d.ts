declare module 'pgpass' {
  /** Calls back with undefined where the file has no password, or others may read it. */
  export default function findPassword(
    connection: {
      readonly host: string;
      readonly port: number;
      readonly database: string;
      readonly user: string;
    },
    done: (password: string | undefined) => void,
  ): void;
}
