#include "trace/store/wall_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int64_t SECOND_NS = 1000000000;
static const int64_t DAY_SECONDS = 86400;
enum {
    DAYS_BEFORE_1970 = 719468, /* from March 1 of the year 0 */
    CYCLE_DAYS = 146097,       /* in 400 years */
    CYCLE_YEARS = 400
};

/* Returns the days from 1970 to a date. Years begin in March here, so that the leap day is the last of its year. */
static int64_t days_of(const WallTime *date)
{
    int64_t year = date->month <= 2 ? date->year - 1 : date->year;
    int64_t cycle = (year >= 0 ? year : year - (CYCLE_YEARS - 1)) / CYCLE_YEARS;
    int64_t in_cycle = year - cycle * CYCLE_YEARS;
    int64_t month = date->month > 2 ? date->month - 3 : date->month + 9;
    int64_t in_year = (153 * month + 2) / 5 + date->day - 1;
    return cycle * CYCLE_DAYS + in_cycle * 365 + in_cycle / 4 - in_cycle / 100 + in_year - DAYS_BEFORE_1970;
}

/* The reverse: sets year, month and day. */
static void date_from_days(int64_t days, WallTime *date)
{
    days += DAYS_BEFORE_1970;
    int64_t cycle = (days >= 0 ? days : days - (CYCLE_DAYS - 1)) / CYCLE_DAYS;
    int64_t day = days - cycle * CYCLE_DAYS;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t in_year = day - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * in_year + 2) / 153;
    date->month = (unsigned)(month < 10 ? month + 3 : month - 9);
    date->day = (unsigned)(in_year - (153 * month + 2) / 5 + 1);
    date->year = year + cycle * CYCLE_YEARS + (date->month <= 2);
}

WallTime wall_time_at(int64_t unix_s)
{
    int64_t days = unix_s / DAY_SECONDS, second = unix_s % DAY_SECONDS;
    if (second < 0) {
        days--;
        second += DAY_SECONDS;
    }
    WallTime time = { .hour = (unsigned)(second / 3600),
                      .minute = (unsigned)(second / 60 % 60),
                      .second = (unsigned)(second % 60) };
    date_from_days(days, &time);
    return time;
}

size_t wall_time_format(int64_t unix_ns, char out[WALL_TIME_TEXT])
{
    int64_t seconds = unix_ns / SECOND_NS, ns = unix_ns % SECOND_NS;
    if (ns < 0) {
        seconds--;
        ns += SECOND_NS;
    }
    const WallTime t = wall_time_at(seconds);
    size_t size = (size_t)snprintf(out, WALL_TIME_TEXT, "%04" PRId64 "-%02u-%02u %02u:%02u:%02u.%09" PRId64,
                                   t.year, t.month, t.day, t.hour, t.minute, t.second, ns);
    while (out[size - 1] == '0')
        size--;
    if (out[size - 1] == '.') size--;
    return size + (size_t)snprintf(out + size, WALL_TIME_TEXT - size, " UTC");
}

size_t wall_time_of_tick(const Clock *clock, int64_t tick, char out[WALL_TIME_TEXT])
{
    int64_t unix_ns;
    return clock_to_unix_ns(clock, tick, &unix_ns) ? wall_time_format(unix_ns, out) : 0;
}

/* -- parsing -- */

typedef struct Scan {
    const char *text;
    size_t      size, at;
    bool        failed;
} Scan;

static bool take(Scan *scan, char c)
{
    if (scan->at >= scan->size || scan->text[scan->at] != c) return false;
    scan->at++;
    return true;
}

/* Takes exactly `count` digits. */
static unsigned take_digits(Scan *scan, size_t count)
{
    unsigned value = 0;
    for (size_t i = 0; i < count; i++) {
        const char c = scan->at < scan->size ? scan->text[scan->at++] : '\0';
        if (c < '0' || c > '9') scan->failed = true;
        value = value * 10 + (unsigned)(uint8_t)(c - '0') % 10;
    }
    return value;
}

static void expect(Scan *scan, char c)
{
    if (!take(scan, c)) scan->failed = true;
}

/* Takes up to 9 digits after the point, as nanoseconds. */
static int64_t take_fraction(Scan *scan)
{
    int64_t  ns = 0;
    unsigned count = 0;
    for (; scan->at < scan->size && scan->text[scan->at] >= '0' && scan->text[scan->at] <= '9'; scan->at++) {
        if (++count > 9) break;
        ns = ns * 10 + (scan->text[scan->at] - '0');
    }
    if (count == 0 || count > 9) scan->failed = true;
    for (; count < 9; count++)
        ns *= 10;
    return ns;
}

static bool take_zone(Scan *scan)
{
    if (take(scan, 'Z')) return scan->at == scan->size;
    (void)take(scan, ' ');
    return scan->size - scan->at == 3 && memcmp(scan->text + scan->at, "UTC", 3) == 0;
}

static bool is_valid(const WallTime *time)
{
    WallTime same;
    if (time->month < 1 || time->month > 12 || time->hour > 23 || time->minute > 59 || time->second > 59)
        return false;
    date_from_days(days_of(time), &same); /* a day after the end of its month is one of the next month */
    return same.month == time->month && same.day == time->day;
}

bool wall_time_parse(const char *text, size_t size, int64_t *unix_ns)
{
    Scan     scan = { .text = text, .size = size };
    WallTime time = { .year = take_digits(&scan, 4) };
    int64_t  ns = 0;
    expect(&scan, '-');
    time.month = take_digits(&scan, 2);
    expect(&scan, '-');
    time.day = take_digits(&scan, 2);
    if (!take(&scan, 'T')) expect(&scan, ' ');
    time.hour = take_digits(&scan, 2);
    expect(&scan, ':');
    time.minute = take_digits(&scan, 2);
    if (take(&scan, ':')) {
        time.second = take_digits(&scan, 2);
        if (take(&scan, '.')) ns = take_fraction(&scan);
    }
    if (scan.failed || !take_zone(&scan) || !is_valid(&time)) return false;
    const int64_t minutes = (int64_t)time.hour * 60 + time.minute;
    const int64_t seconds = days_of(&time) * DAY_SECONDS + minutes * 60 + time.second;
    if (seconds < INT64_MIN / SECOND_NS || seconds >= INT64_MAX / SECOND_NS) return false;
    *unix_ns = seconds * SECOND_NS + ns;
    return true;
}
