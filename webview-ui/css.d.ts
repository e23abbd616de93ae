/** Style sheets become part of the bundle's own. */
declare module '*.css';
